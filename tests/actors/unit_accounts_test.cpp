// Units are conserved whatever callers and engine do: real session, real pools, an engine that
// fails by chance. And faults planted on purpose are found by the same checks.
#include "tests/actors/unit_accounts.hpp"

#include <catch2/catch.hpp>

#include "tests/actors/random_crowd.hpp"

namespace weft::actors {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t operations_per_seed = 2'000;  // Sanitizers are some ten times slower.
#else
constexpr std::int64_t operations_per_seed = 15'000;  // 120,000 in all.
#endif
constexpr std::array<std::uint64_t, 8> seeds = {11, 22, 33, 44, 55, 66, 77, 88};

const std::vector<std::string> none;
constexpr fake_options tight{.pages = 26, .state_slots = 14, .transition_slots = 8};
constexpr fake_options tightest{.pages = 20, .state_slots = 9, .transition_slots = 6};
constexpr fake_options roomy{.pages = 70, .state_slots = 30, .transition_slots = 20};

void live_through(random_crowd& crowd, std::int64_t operations) {
  for (std::int64_t act = 0; act < operations; ++act) {
    const auto breaches = crowd.act();
    if (breaches == none) continue;
    CAPTURE(act);
    REQUIRE(breaches == none);
  }
  REQUIRE(crowd.quiet() == none);
}

gpu::pool_counts pool_of(std::int64_t free, std::array<std::int64_t, gpu::unit_owners> held,
                         std::int64_t total) {
  return {.free = free, .held = held, .total = total};
}

std::vector<std::string> check_pages(const gpu::pool_counts& pages, std::int64_t resident) {
  return check_quiet({.pages = pages, .state_slots = {}, .transition_slots = {}},
                     {.pages = resident});
}

bool says(const std::vector<std::string>& breaches, const std::string& words) {
  for (const std::string& breach : breaches)
    if (breach.find(words) != std::string::npos) return true;
  return false;
}

// A crowd in the middle of things with something cached, and a moment of quiet.
random_crowd crowd_with_entries() {
  random_crowd crowd({.seed = 5, .pools = roomy, .breaks = false});
  live_through(crowd, 500);
  for (int act = 0; crowd.engine().entries_alive().size() < 3; ++act) {
    REQUIRE(act < 1000);
    REQUIRE(crowd.act() == none);
    REQUIRE(crowd.quiet() == none);
  }
  return crowd;
}

}  // namespace

TEST_CASE("units are conserved through random hits, misses, cancels and every kind of failure",
          "[actors][unit_accounts]") {
  crowd_tally all;
  for (const std::uint64_t seed : seeds) {
    CAPTURE(seed);
    random_crowd crowd(
        {.seed = seed,
         .eviction = all_eviction_policies[seed % 2],
         .anchored = seed / 11 % 4 < 2,
         .pools = seed / 11 % 3 == 0 ? roomy : tight,
         .trouble = {.failing_sequences = 10, .spoilt_entries = 10, .refusals = 10}});
    live_through(crowd, operations_per_seed);
    const crowd_tally tally = crowd.tally();
    all.operations += tally.operations;
    all.answers += tally.answers;
    all.failures += tally.failures;
    all.refused += tally.refused;
    all.cancels += tally.cancels;
    all.breaks += tally.breaks;
    all.hits += tally.hits;
    all.misses += tally.misses;
    all.evictions += tally.evictions;
  }
  // All of it happened, and often.
  const std::int64_t often = all.operations / 100;
  CHECK(all.operations == operations_per_seed * static_cast<std::int64_t>(seeds.size()));
  CHECK(all.answers > often);
  CHECK(all.failures > often);
  CHECK(all.refused > often);
  CHECK(all.cancels > often);
  CHECK(all.hits > often);
  CHECK(all.misses > often);
  CHECK(all.evictions > often);
  CHECK(all.breaks > 0);
}

TEST_CASE("whoever was admitted is never told to come back for want of room",
          "[actors][unit_accounts]") {
  // Makers give up all the time, in pools that hold little more than one request: takers-over
  // must find the room that was promised to them. The engine itself refuses nothing.
  for (const std::uint64_t seed : seeds) {
    CAPTURE(seed);
    random_crowd crowd({.seed = seed,
                        .anchored = seed / 11 % 2 == 0,
                        .pools = tightest,
                        .trouble = {.failing_sequences = 50, .spoilt_entries = 50},
                        .documents = 6,
                        .breaks = false});
    live_through(crowd, operations_per_seed);
    CHECK(crowd.tally().failures > operations_per_seed / 800);
    CHECK(crowd.tally().told_to_retry == 0);
  }
}

TEST_CASE("a page that was given back while its entry still has it is found at once",
          "[actors][unit_accounts]") {
  random_crowd crowd = crowd_with_entries();
  const auto entry = crowd.engine().entries_alive().front();
  gpu::unit_lease page = std::move(entry->pages.back());
  page.release();  // The first free of two: the entry's own would be the second.
  CHECK(says(crowd.check(), "the cache is not what entries hold; key-value pages"));
  CHECK(says(crowd.check(), "that it does not hold"));
  entry->pages.back() = crowd.engine().pages().take(gpu::unit_owner::cached).value();
  CHECK(crowd.check() == none);
}

TEST_CASE("a page that nobody gives back is found at the next quiet moment",
          "[actors][unit_accounts]") {
  random_crowd crowd = crowd_with_entries();
  gpu::unit_lease lost = crowd.engine().pages().take(gpu::unit_owner::in_flight).value();
  CHECK(says(crowd.quiet(), "nothing is live and units are in flight; key-value pages"));
  lost.relabel(gpu::unit_owner::cached);
  CHECK(says(crowd.check(), "the cache is not what entries hold; key-value pages"));
  lost.release();
  CHECK(crowd.quiet() == none);
}

TEST_CASE("a page that slipped out of its entry is found at once", "[actors][unit_accounts]") {
  random_crowd crowd = crowd_with_entries();
  const auto entry = crowd.engine().entries_alive().front();
  gpu::unit_lease slipped = std::move(entry->pages.back());
  entry->pages.pop_back();
  CHECK(says(crowd.check(), "the cache is not what entries hold; key-value pages"));
  entry->pages.push_back(std::move(slipped));
  CHECK(crowd.check() == none);
}

TEST_CASE("books that do not add up are told by pool and number", "[actors][unit_accounts]") {
  CHECK(check_pages(pool_of(5, {3, 1, 0, 1}, 10), 4) == none);
  CHECK(says(check_pages(pool_of(6, {3, 1, 0, 1}, 10), 4), "units count twice; key-value pages"));
  CHECK(says(check_pages(pool_of(4, {3, 1, 0, 1}, 10), 4), "units are lost; key-value pages"));
  CHECK(says(check_pages(pool_of(7, {3, 1, 0, -1}, 10), 4), "less than nothing"));
  CHECK(says(check_pages(pool_of(5, {3, 1, 0, 1}, 10), 3), "the cache is not what entries hold"));
  CHECK(says(check_pages(pool_of(4, {3, 1, 1, 1}, 10), 4), "units are in flight"));
}

TEST_CASE("a unit in two entries is told by its number", "[actors][unit_accounts]") {
  // Of two pools, so that both leases are good and only their numbers clash.
  fake_engine one;
  fake_engine other;
  const auto first = *one.make_entry(gpu::entry_kind::splice, 70);
  CHECK(check_entries({first}) == none);
  const auto second = *other.make_entry(gpu::entry_kind::splice, 70);
  CHECK(says(check_entries({first, second}), "unit 0 of the key-value pages is in two entries"));
}

}  // namespace weft::actors
