#include "policies/eviction/reuse.hpp"

#include <cmath>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/test_seed.hpp"

namespace weft {

TEST_CASE("a use counts half as much with every half-life since", "[policies][reuse]") {
  const reuse once = used_again({}, 25, 10);
  const std::vector<std::pair<std::uint64_t, double>> table = {
      {25, 1}, {29, 1}, {30, 0.5}, {39, 0.5}, {40, 0.25}, {50, 0.125}, {1030, std::ldexp(1, -101)}};
  for (const auto& [now, expected] : table) {
    CAPTURE(now);
    CHECK(reuse_at(once, now, 10) == expected);
  }
}

TEST_CASE("what was never used is worth nothing", "[policies][reuse]") {
  CHECK(reuse_at({}, 0, 1) == 0);
  CHECK(reuse_at({}, UINT64_MAX, 1) == 0);
}

TEST_CASE("an age beyond all halvings leaves nothing and no trouble", "[policies][reuse]") {
  reuse favourite;
  for (int use = 0; use < 1000; ++use) favourite = used_again(favourite, 1, 1000);
  CHECK(favourite.weight == 1000);
  CHECK(reuse_at(favourite, UINT64_MAX, 1000) == 0);
}

TEST_CASE("an old favourite is worth less than what is used now", "[policies][reuse]") {
  reuse favourite;
  for (int use = 0; use < 100; ++use) favourite = used_again(favourite, 0, 10);
  const reuse newcomer = used_again({}, 70, 10);
  CHECK(reuse_at(favourite, 60, 10) > 1);
  CHECK(reuse_at(favourite, 70, 10) < reuse_at(newcomer, 70, 10));
}

TEST_CASE("reuse is the sum of its uses, each halved by its epochs", "[policies][reuse]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const std::uint64_t half_life = 1 + random() % 50;
    std::vector<std::uint64_t> uses;
    reuse kept;
    std::uint64_t now = 0;
    for (int use = 0; use < 40; ++use) {
      now += random() % 20;
      uses.push_back(now);
      kept = used_again(kept, now, half_life);
    }
    now += random() % 100;
    double sum = 0;
    for (const std::uint64_t use : uses)
      sum += std::ldexp(1, -static_cast<int>(now / half_life - use / half_life));
    REQUIRE(reuse_at(kept, now, half_life) == Approx(sum).epsilon(1e-12));
  }
}

}  // namespace weft
