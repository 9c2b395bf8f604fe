#include <catch2/catch.hpp>

#include "actors/program/plot_axis.hpp"

using namespace weft::actors;

using values = std::vector<double>;

TEST_CASE("values within a power of ten stand on a linear axis from zero", "[actors][plot_axis]") {
  const plot_axis axis = axis_over(30, 95);
  CHECK_FALSE(axis.logarithmic);
  CHECK(axis.from == 0);
  CHECK(axis.ticks == values{0, 20, 40, 60, 80, 100});
  CHECK(axis.place(50) == Approx(0.5));
  CHECK(axis.place(-1) == 0);
  CHECK(axis.place(500) == 1);
}

TEST_CASE("values over a power of ten stand on a logarithmic axis", "[actors][plot_axis]") {
  const plot_axis axis = axis_over(12, 450);
  CHECK(axis.logarithmic);
  CHECK(axis.ticks.size() == 6);
  CHECK(axis.ticks.front() == Approx(10));
  CHECK(axis.ticks.back() == Approx(500));
  CHECK(axis.place(10) == Approx(0).margin(1e-12));
  CHECK(axis.place(500) == Approx(1));
  CHECK(axis.place(100) - axis.place(10) == Approx(axis.place(200) - axis.place(20)));
}

TEST_CASE("over many powers of ten only these are labelled", "[actors][plot_axis]") {
  const plot_axis axis = axis_over(0.02, 30000);
  REQUIRE(axis.ticks.size() == 6);
  CHECK(axis.label(axis.ticks.front()) == "0.1");
  CHECK(axis.label(axis.ticks.back()) == "10000");
  CHECK(axis.place(0.02) >= 0);
  CHECK(axis.place(0.02) < axis.place(0.1));
}

TEST_CASE("an axis takes one value, and none at all", "[actors][plot_axis]") {
  CHECK(axis_over(0, 0).ticks.size() >= 2);
  const plot_axis axis = axis_over(7, 7);
  CHECK(axis.to >= 7);
  CHECK(plot_axis{.from = 0, .to = 100, .ticks = {}, .unit = " %"}.label(25) == "25 %");
}
