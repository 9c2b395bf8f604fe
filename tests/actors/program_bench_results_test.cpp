#include <set>

#include "actors/program/bench_results.hpp"
#include "tests/actors/bench_stage.hpp"

using namespace weft;
using namespace weft::actors;

TEST_CASE("all parts of a plan are measured, and each run is counted", "[actors][bench_results]") {
  bench_stage stage;
  bench_plan plan = bench_stage::small_plan();
  plan.modes = {reuse_mode::full_recompute, reuse_mode::stitched};
  std::int64_t ticks = 0;
  std::set<std::string> parts;
  const auto all =
      measure(plan, stage.model, 1, bench_stage::seam_for, [&](const std::string& part) {
        ++ticks;
        parts.insert(part);
      });
  REQUIRE(all.ok());
  CHECK(ticks == runs_in(plan));
  CHECK(parts.size() == 2 + 2 + 2 + 1 + 2);
  REQUIRE(all->prompts.size() == 2);
  CHECK(all->prompts[0].first_token.size() == 2);
  CHECK(all->prompts[1].first_token.at(reuse_mode::stitched).warm_reused_tokens == 32 + 6);
  CHECK(all->prompts[0].entry_bytes > all->prompts[1].entry_bytes);
  CHECK(all->prefill.size() == 2);
  CHECK(all->decode.size() == 2);
  CHECK(all->transition_share.has_value());
  REQUIRE(all->reuse.size() == 2);
  for (const reuse_line& line : all->reuse) CHECK(line.points.size() == 3);
}

TEST_CASE("a prompt that cannot run stops a bench before it measures", "[actors][bench_results]") {
  bench_stage stage;
  bench_plan plan = bench_stage::small_plan();
  plan.prompts.push_back({.segments = 1, .segment_tokens = 1 << 20, .question_tokens = 1});
  std::int64_t ticks = 0;
  const auto all =
      measure(plan, stage.model, 1, bench_stage::seam_for, [&](const std::string&) { ++ticks; });
  CHECK_FALSE(all.ok());
  CHECK(ticks == 0);
}
