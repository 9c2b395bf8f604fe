#include "gpu/door/cache_split.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "gpu/host/host_engine.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/test_seed.hpp"

namespace weft::gpu {

TEST_CASE("the least memory holds the units, and a byte less does not", "[gpu][cache_split]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
  };
  for (int round = 0; round < 1000; ++round) {
    const unit_bytes each{below(1 << 20), below(1 << 24), below(1 << 24)};
    const cache_units units{1 + below(5000), 1 + below(200), 1 + below(200)};
    const pool_bytes least = least_bytes(units, each);
    REQUIRE(missing(units, units_in(least, each)).none());
    pool_bytes less = least;
    --less.pages;
    REQUIRE(units_in(less, each).pages < units.pages);
    less = least;
    --less.slots;
    REQUIRE_FALSE(missing(units, units_in(less, each)).none());
  }
}

TEST_CASE("memory in huge numbers is bounded, and none holds nothing", "[gpu][cache_split]") {
  CHECK(units_in({INT64_MAX, INT64_MAX}, {}) ==
        cache_units{1'000'000'000, 1'000'000'000, 1'000'000'000});
  CHECK(units_in({}, {1, 1, 1}).none());
}

TEST_CASE("an engine has the units that the least memory promises", "[gpu][cache_split][engine]") {
  auto weights = random_weights(testing::small_shape(), 3);
  REQUIRE(weights.ok());
  const auto first = host_engine::make(*weights, {});
  REQUIRE(first.ok());
  const engine_traits& traits = (*first)->traits();
  const cache_units wanted{7, 5, 3};
  const pool_bytes least = least_bytes(
      wanted, {traits.page_bytes, traits.state_slot_bytes, traits.transition_slot_bytes});
  const auto made =
      host_engine::make(*weights, {.page_bytes_max = least.pages, .slot_bytes_max = least.slots});
  REQUIRE(made.ok());
  const engine_counts counts = (*made)->counts();
  CHECK(counts.pages.total == 7);
  CHECK(counts.state_slots.total >= 5);
  CHECK(counts.transition_slots.total >= 3);
}

}  // namespace weft::gpu
