#include "policies/eviction/value_per_byte.hpp"

#include <algorithm>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "policies/eviction/least_recent.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

using ids = std::vector<std::uint64_t>;

const cache_units document{.pages = 2, .state_slots = 1, .transition_slots = 1};
const reuse_clock clock_at_0{.now = 0, .half_life = 10};

eviction_candidate entry_of(std::uint64_t id, double recompute_ms, double uses,
                            std::int64_t bytes) {
  return {.id = id,
          .units = document,
          .uses = {.weight = uses, .epoch = 0},
          .recompute_ms = recompute_ms,
          .bytes = bytes};
}

ids victims_of(std::vector<eviction_candidate> known, const cache_units& wanted,
               const reuse_clock& at = clock_at_0) {
  const auto victims = choose_least_valued(std::move(known), wanted, at);
  REQUIRE(victims.has_value());
  return *victims;
}

std::vector<eviction_candidate> random_entries(std::mt19937& random) {
  const auto below = [&](unsigned bound) { return static_cast<std::int64_t>(random() % bound); };
  std::vector<eviction_candidate> known;
  const std::uint64_t count = random() % 12;
  for (std::uint64_t id = 1; id <= count; ++id)
    known.push_back({.id = id,
                     .units = {.pages = below(4), .state_slots = 1, .transition_slots = below(2)},
                     .last_use = random() % 5,
                     .pinned = below(6) == 0,
                     .holders = below(4) == 0 ? 1 : 0,
                     .uses = {.weight = static_cast<double>(below(4)), .epoch = random() % 3},
                     .recompute_ms = static_cast<double>(below(4)),
                     .bytes = 1 + below(3)});
  return known;
}

bool may_go(const eviction_candidate& entry) { return !entry.pinned && entry.holders == 0; }

}  // namespace

TEST_CASE("value is work saved times use by byte", "[policies][value_per_byte]") {
  CHECK(value_per_byte(entry_of(1, 12, 3, 4), clock_at_0) == 9);
  CHECK(value_per_byte(entry_of(1, 12, 3, 4), {.now = 10, .half_life = 10}) == 4.5);
  CHECK(value_per_byte(entry_of(1, 12, 3, 0), clock_at_0) == 36);  // Never a division by zero.
}

TEST_CASE("the least value goes first, by work, by use and by bytes",
          "[policies][value_per_byte]") {
  CHECK(victims_of({entry_of(1, 9, 1, 1), entry_of(2, 3, 1, 1), entry_of(3, 5, 1, 1)},
                   {.pages = 3}) == ids{2, 3});
  CHECK(victims_of({entry_of(1, 1, 9, 1), entry_of(2, 1, 3, 1)}, {.pages = 1}) == ids{2});
  CHECK(victims_of({entry_of(1, 1, 1, 5), entry_of(2, 1, 1, 6)}, {.pages = 1}) == ids{2});
}

TEST_CASE("an old favourite goes once it has faded", "[policies][value_per_byte]") {
  const eviction_candidate favourite = entry_of(1, 1, 8, 1);
  eviction_candidate newcomer = entry_of(2, 1, 1, 1);
  newcomer.uses.epoch = 2;
  CHECK(victims_of({favourite, newcomer}, {.pages = 1}, {.now = 25, .half_life = 10}) == ids{2});
  newcomer.uses.epoch = 4;
  CHECK(victims_of({favourite, newcomer}, {.pages = 1}, {.now = 45, .half_life = 10}) == ids{1});
}

TEST_CASE("of equal value the one used longest ago goes, then the lower id",
          "[policies][value_per_byte]") {
  auto older = entry_of(7, 1, 1, 1);
  auto newer = entry_of(3, 1, 1, 1);
  newer.last_use = 1;
  CHECK(victims_of({newer, older}, {.pages = 1}) == ids{7});
  newer.last_use = 0;
  CHECK(victims_of({older, newer}, {.pages = 1}) == ids{3});
}

TEST_CASE("a victim that a later one makes needless stays", "[policies][value_per_byte]") {
  auto small = entry_of(1, 1, 1, 1);
  small.units.pages = 1;
  auto large = entry_of(2, 2, 1, 1);
  large.units.pages = 5;
  CHECK(victims_of({small, large}, {.pages = 4}) == ids{2});
  CHECK(victims_of({small, large}, {.pages = 6}) == ids{1, 2});
}

TEST_CASE("without differences in worth the choice is that of least recent use",
          "[policies][value_per_byte]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    auto known = random_entries(random);
    for (eviction_candidate& entry : known) {
      entry.units = document;  // Equal units: no victim is needless.
      entry.recompute_ms = 5;
      entry.uses = {.weight = 1, .epoch = 0};
      entry.bytes = 7;
    }
    const cache_units wanted{.pages = static_cast<std::int64_t>(random() % 9)};
    CHECK(choose_least_valued(known, wanted, clock_at_0) == choose_least_recent(known, wanted));
  }
}

TEST_CASE("victims free what is wanted, none is fixed, none is needless, and order is no input",
          "[policies][value_per_byte]") {
  const unsigned seed = test_seed(2);
  CAPTURE(seed);
  std::mt19937 random(seed);
  int chosen = 0;
  for (int round = 0; round < 3000; ++round) {
    auto known = random_entries(random);
    const reuse_clock at{.now = 30 + random() % 30, .half_life = 10};
    const cache_units wanted{.pages = static_cast<std::int64_t>(random() % 8),
                             .state_slots = static_cast<std::int64_t>(random() % 4),
                             .transition_slots = static_cast<std::int64_t>(random() % 3)};
    const auto victims = choose_least_valued(known, wanted, at);
    cache_units all;
    for (const eviction_candidate& entry : known)
      if (may_go(entry)) all += entry.units;
    REQUIRE(victims.has_value() == missing(wanted, all).none());
    std::shuffle(known.begin(), known.end(), random);
    REQUIRE(choose_least_valued(known, wanted, at) == victims);
    if (!victims) continue;
    ++chosen;
    const std::set<std::uint64_t> gone(victims->begin(), victims->end());
    REQUIRE(gone.size() == victims->size());
    cache_units freed;
    for (const eviction_candidate& entry : known) {
      if (!gone.contains(entry.id)) continue;
      REQUIRE(may_go(entry));
      freed += entry.units;
    }
    REQUIRE(missing(wanted, freed).none());
    for (const eviction_candidate& entry : known) {
      if (!gone.contains(entry.id)) continue;
      cache_units others = freed;
      others += {.pages = -entry.units.pages,
                 .state_slots = -entry.units.state_slots,
                 .transition_slots = -entry.units.transition_slots};
      REQUIRE_FALSE(missing(wanted, others).none());
    }
  }
  CHECK(chosen > 100);
}

}  // namespace weft
