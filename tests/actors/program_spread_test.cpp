#include <catch2/catch.hpp>

#include "actors/program/spread.hpp"

using namespace weft::actors;

TEST_CASE("a spread is median, least and most", "[actors][spread]") {
  CHECK(spread_of({3, 1, 2}) == spread{.median = 2, .least = 1, .most = 3});
  CHECK(spread_of({4, 1, 2, 3}).median == 2.5);
  CHECK(spread_of({7}) == spread{.median = 7, .least = 7, .most = 7});
}

TEST_CASE("what is added is told of what was there without it, pair by pair", "[actors][spread]") {
  // The second pair ran while the machine was busy: ten times slower, and as much added.
  const spread added = spread_of_additions({10, 100, 20}, {8, 80, 15});
  CHECK(added.median == Approx(0.25));
  CHECK(added.least == Approx(0.25));
  CHECK(added.most == Approx(1.0 / 3));
  CHECK(spread_of_additions({9}, {10}).median == Approx(-0.1));
}
