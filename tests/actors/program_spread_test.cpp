#include <catch2/catch.hpp>

#include "actors/program/spread.hpp"

using namespace weft::actors;

TEST_CASE("a spread is median, least and most", "[actors][spread]") {
  CHECK(spread_of({3, 1, 2}) == spread{.median = 2, .least = 1, .most = 3});
  CHECK(spread_of({4, 1, 2, 3}).median == 2.5);
  CHECK(spread_of({7}) == spread{.median = 7, .least = 7, .most = 7});
}

TEST_CASE("a share is taken pair by pair, so that a slow pair does not show", "[actors][spread]") {
  // The second pair ran while the machine was busy: ten times slower, the same share.
  const spread shares = spread_of_shares({10, 100, 20}, {8, 80, 15});
  CHECK(shares.median == Approx(0.2));
  CHECK(shares.least == Approx(0.2));
  CHECK(shares.most == Approx(0.25));
  CHECK(spread_of_shares({10}, {11}).median == Approx(-0.1));
}
