#include <algorithm>

#include "actors/program/bench_plot.hpp"
#include "tests/actors/bench_stage.hpp"
#include "tests/actors/tiny_xml.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

bench_results swept(const std::vector<reuse_mode>& modes, double times) {
  bench_results all;
  for (const reuse_series& series : reuse_series_of(modes)) {
    reuse_line line{.of = series, .points = {}};
    for (const std::int64_t known : known_counts(2))
      line.points.push_back({.known_segments = known,
                             .known_share = 0.5 * static_cast<double>(known),
                             .reused_tokens = 10 * known,
                             .milliseconds = {.median = times, .least = 8, .most = times}});
    all.reuse.push_back(std::move(line));
  }
  return all;
}

const bench_setting where = {.model = "small model", .device = "host", .numerics = {}, .used = {}};

}  // namespace

TEST_CASE("a reuse plot has a line and a legend entry for each mode", "[actors][bench_plot]") {
  bench_plan plan = bench_stage::small_plan();
  plan.modes = {all_modes.begin(), all_modes.end()};
  const auto facts = read_xml(svg_of(plot_of(swept(plan.modes, 9), plan, where)));
  REQUIRE(facts.has_value());
  REQUIRE(facts->polylines.size() == all_modes.size() + 1);
  for (const std::string& points : facts->polylines)
    CHECK(std::count(points.begin(), points.end(), ',') == 3);
  for (const reuse_series& series : reuse_series_of(plan.modes))
    CHECK(std::count(facts->texts.begin(), facts->texts.end(), series.name()) == 1);
  CHECK(std::count(facts->texts.begin(), facts->texts.end(), "small model, host") == 1);
}

TEST_CASE("times over a power of ten are drawn logarithmic, and the axis says so",
          "[actors][bench_plot]") {
  const bench_plan plan = bench_stage::small_plan();
  const svg_plot narrow = plot_of(swept(plan.modes, 9), plan, where);
  CHECK_FALSE(narrow.y.logarithmic);
  CHECK(narrow.y_title == "time to first token, ms");
  bench_results slow = swept(plan.modes, 9);
  slow.reuse[0].points[0].milliseconds = {.median = 900, .least = 800, .most = 900};
  const svg_plot wide = plot_of(slow, plan, where);
  CHECK(wide.y.logarithmic);
  CHECK(contains(wide.y_title, "logarithmic"));
}

TEST_CASE("one run that was held up does not squeeze a plot", "[actors][bench_plot]") {
  const bench_plan plan = bench_stage::small_plan();
  bench_results all = swept(plan.modes, 9);
  all.reuse[0].points[0].milliseconds.most = 25000;
  const svg_plot plot = plot_of(all, plan, where);
  CHECK_FALSE(plot.y.logarithmic);
  CHECK(plot.y.to == 20);
}

TEST_CASE("moved segments are explained only where they are drawn", "[actors][bench_plot]") {
  bench_plan plan = bench_stage::small_plan();
  CHECK(contains(plot_of(swept(plan.modes, 9), plan, where).footnote, "moved"));
  plan.modes = {reuse_mode::stitched};
  const svg_plot alone = plot_of(swept(plan.modes, 9), plan, where);
  CHECK_FALSE(contains(alone.footnote, "moved"));
  REQUIRE(alone.series.size() == 1);
  CHECK(alone.series[0].emphasised);
  CHECK(alone.series[0].points[1].x == Approx(50));
}
