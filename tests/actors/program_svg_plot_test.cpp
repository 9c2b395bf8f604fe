#include <algorithm>

#include <catch2/catch.hpp>

#include "actors/program/svg_plot.hpp"
#include "tests/actors/program_stage.hpp"
#include "tests/actors/tiny_xml.hpp"

using namespace weft::actors;

namespace {

svg_plot two_lines() {
  return {
      .title = "Title & <more>",
      .subtitles = {"one", "two"},
      .x_title = "x",
      .y_title = "y",
      .footnote = "foot",
      .x = {.from = 0, .to = 100, .ticks = {0, 50, 100}, .unit = " %"},
      .y = {.from = 0, .to = 10, .ticks = {0, 5, 10}, .unit = {}},
      .series = {
          {.name = "solid",
           .points = {{0, 10, 9, 10, "start"}, {100, 0, 0, 1, "end"}},
           .colour = 6,
           .emphasised = true},
          {.name = "dashed", .points = {{50, 5, 5, 5, "middle"}}, .colour = 1, .dashed = true}}};
}

}  // namespace

TEST_CASE("a plot is well-formed SVG with a polyline for each series", "[actors][svg_plot]") {
  const auto facts = read_xml(svg_of(two_lines()));
  REQUIRE(facts.has_value());
  CHECK(facts->elements.at("svg") == 1);
  REQUIRE(facts->polylines.size() == 2);
  for (const std::string text : {"50 %", "solid", "dashed", "foot", "Title &amp; &lt;more&gt;"})
    CHECK(std::count(facts->texts.begin(), facts->texts.end(), text) >= 1);
  CHECK(contains(svg_of(two_lines()), "<title>dashed: middle</title>"));
}

TEST_CASE("points stand where the axes say, side by side by series", "[actors][svg_plot]") {
  const auto facts = read_xml(svg_of(two_lines()));
  REQUIRE(facts.has_value());
  // The emphasised series is drawn last; the axes span 106 to 676 by 104 to 462.
  CHECK(facts->polylines.at(0) == "393.0,283.0");
  CHECK(facts->polylines.at(1) == "104.0,104.0 674.0,462.0");
}

TEST_CASE("a bar has a cap at each end that lies within the frame", "[actors][svg_plot]") {
  svg_plot plot = two_lines();
  plot.series.resize(1);
  plot.series[0].points = {{50, 5, 2, 8, "both"}};
  CHECK(contains(svg_of(plot), "M391.0 390.4V175.6M387.0 390.4H395.0M387.0 175.6H395.0\""));
  plot.series[0].points = {{50, 5, 2, 800, "one"}};
  CHECK(contains(svg_of(plot), "M391.0 390.4V104.0M387.0 390.4H395.0\""));
}

TEST_CASE("names that are no plain text do not break a plot", "[actors][svg_plot]") {
  svg_plot plot = two_lines();
  plot.subtitles[0] = "\x01\xff\"quoted\" & " + std::string(1000, 'w');
  const std::string svg = svg_of(plot);
  CHECK(read_xml(svg).has_value());
  CHECK(contains(svg, "??&quot;quoted&quot; &amp; w"));
  CHECK_FALSE(contains(svg, std::string(200, 'w')));
}

TEST_CASE("the reader of these tests sees what is not well formed", "[actors][svg_plot]") {
  CHECK(read_xml("<a><b x=\"1\"/>t</a>").has_value());
  for (const std::string bad :
       {"<a>", "<a></b>", "<a><b></a></b>", "<a x=\"1/>", "<a>&</a>", "", "<a/><b/>"})
    CHECK_FALSE(read_xml(bad).has_value());
}
