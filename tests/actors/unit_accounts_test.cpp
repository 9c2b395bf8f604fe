// Units are conserved whatever callers and engine do: real session, real pools, an engine that
// fails by chance. And faults planted on purpose are found by the same checks.
#include "tests/actors/unit_accounts.hpp"

#include <iostream>

#include <catch2/catch.hpp>

#include "tests/actors/random_crowd.hpp"
#include "tests/gpu/planted_lease.hpp"
#include "tests/test_seed.hpp"

namespace weft::actors {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr std::int64_t operations_per_crowd = 2'000;  // Sanitizers are some ten times slower.
#else
constexpr std::int64_t operations_per_crowd = 15'000;  // 120,000 in all.
#endif
constexpr unsigned crowds = 8;

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
random_crowd crowd_with_entries(unsigned seed) {
  random_crowd crowd({.seed = seed, .pools = roomy, .breaks = false});
  live_through(crowd, 500);
  for (int act = 0; crowd.engine().entries_alive().size() < 3; ++act) {
    REQUIRE(act < 1000);
    REQUIRE(crowd.act() == none);
    REQUIRE(crowd.quiet() == none);
  }
  return crowd;
}

// A pool, and the unit of it that an entry lists last.
struct planted_pool {
  const char* noun;
  gpu::unit_pool& (fake_engine::*pool)();
  gpu::unit_lease& (*unit_of)(gpu::entry&);
};
const std::array<planted_pool, 3> planted_pools = {
    {{"key-value pages", &fake_engine::pages,
      [](gpu::entry& of) -> gpu::unit_lease& { return of.pages.back(); }},
     {"state slots", &fake_engine::state_slots,
      [](gpu::entry& of) -> gpu::unit_lease& { return of.state_slot; }},
     {"transition slots", &fake_engine::transition_slots,
      [](gpu::entry& of) -> gpu::unit_lease& { return of.transition_slot; }}}};

// The cached splice entry that has unit `id` of `from` (any unit: -1), or null.
std::shared_ptr<gpu::entry> cached_entry(random_crowd& crowd, const planted_pool& from,
                                         std::int32_t id = -1) {
  for (const auto& entry : crowd.engine().entries_alive())
    if (entry->kind == gpu::entry_kind::splice && entry->complete &&
        (id < 0 || from.unit_of(*entry).id() == id))
      return entry;
  return nullptr;
}

}  // namespace

TEST_CASE("units are conserved through random hits, misses, cancels and every kind of failure",
          "[actors][unit_accounts]") {
  const unsigned seed = test_seed(11);
  crowd_tally all;
  for (unsigned crowd_index = 0; crowd_index < crowds; ++crowd_index) {
    CAPTURE(seed, crowd_index);
    random_crowd crowd(
        {.seed = seed + crowd_index,
         .eviction = all_eviction_policies[crowd_index % 2],
         .anchored = crowd_index % 4 < 2,
         .pools = crowd_index % 3 == 0 ? roomy : tight,
         .trouble = {.failing_sequences = 10, .spoilt_entries = 10, .refusals = 10}});
    live_through(crowd, operations_per_crowd);
    const crowd_tally tally = crowd.tally();
    all.operations += tally.operations;
    for (const crowd_count& each : crowd_counts) all.*each.count += tally.*each.count;
  }
  CHECK(all.operations == operations_per_crowd * crowds);
  std::cout << all.operations << " operations";
  for (const crowd_count& each : crowd_counts) {
    std::cout << ", " << each.name << " " << all.*each.count;
    INFO(each.name);
    CHECK(all.*each.count >= each.floor * all.operations / 10'000);
  }
  std::cout << "\n";
}

TEST_CASE("whoever was admitted is never told to come back for want of room",
          "[actors][unit_accounts]") {
  // Makers give up all the time, in pools that hold little more than one request: takers-over
  // must find the room that was promised to them. The engine itself refuses nothing.
  const unsigned seed = test_seed(22);
  for (unsigned crowd_index = 0; crowd_index < crowds; ++crowd_index) {
    CAPTURE(seed, crowd_index);
    random_crowd crowd({.seed = seed + crowd_index,
                        .anchored = crowd_index % 2 == 0,
                        .pools = tightest,
                        .trouble = {.failing_sequences = 50, .spoilt_entries = 50},
                        .documents = 6,
                        .breaks = false});
    live_through(crowd, operations_per_crowd);
    CHECK(crowd.tally().failures > operations_per_crowd / 800);
    CHECK(crowd.tally().told_to_retry == 0);
  }
}

TEST_CASE("a unit that is given back twice is found as soon as somebody else has it",
          "[actors][unit_accounts]") {
  const unsigned seed = test_seed(5);
  for (const planted_pool& from : planted_pools) {
    CAPTURE(seed, from.noun);
    random_crowd crowd = crowd_with_entries(seed);
    auto entry = cached_entry(crowd, from);
    REQUIRE(entry != nullptr);
    gpu::unit_lease second = gpu::planted_lease::copy(from.unit_of(*entry));
    const std::int32_t unit = second.id();
    entry.reset();
    crowd.drop_cache();  // The first free, which is right.
    CHECK(crowd.check() == none);
    for (int act = 0; cached_entry(crowd, from, unit) == nullptr; ++act) {
      REQUIRE(act < 5000);
      REQUIRE(crowd.act() == none);
      REQUIRE(crowd.quiet() == none);
    }
    const auto owner = cached_entry(crowd, from, unit);
    second.release();  // The second, of what is another's by now: the pool cannot tell.
    CHECK(says(crowd.check(), "the cache is not what entries hold; " + std::string(from.noun)));
    const auto intruder = *crowd.engine().make_entry(gpu::entry_kind::splice, 1);
    REQUIRE(from.unit_of(*intruder).id() == unit);
    CHECK(says(crowd.check(),
               "unit " + std::to_string(unit) + " of the " + from.noun + " is in two entries"));
    gpu::planted_lease::forget(from.unit_of(*intruder));
    from.unit_of(*owner).relabel(gpu::unit_owner::cached);
  }
}

TEST_CASE("a unit that was given back while its entry still has it is found at once",
          "[actors][unit_accounts]") {
  const unsigned seed = test_seed(5);
  for (const planted_pool& from : planted_pools) {
    CAPTURE(seed, from.noun);
    random_crowd crowd = crowd_with_entries(seed);
    const auto entry = cached_entry(crowd, from);
    REQUIRE(entry != nullptr);
    from.unit_of(*entry).release();
    CHECK(says(crowd.check(), "an entry lists a unit of the " + std::string(from.noun) +
                                  " that it does not hold"));
    from.unit_of(*entry) = (crowd.engine().*from.pool)().take(gpu::unit_owner::cached).value();
    CHECK(crowd.check() == none);
  }
}

TEST_CASE("a unit that nobody gives back is found at the next quiet moment",
          "[actors][unit_accounts]") {
  const unsigned seed = test_seed(5);
  for (const planted_pool& from : planted_pools) {
    CAPTURE(seed, from.noun);
    random_crowd crowd = crowd_with_entries(seed);
    gpu::unit_lease lost = (crowd.engine().*from.pool)().take(gpu::unit_owner::in_flight).value();
    CHECK(
        says(crowd.quiet(), "nothing is live and units are in flight; " + std::string(from.noun)));
    lost.relabel(gpu::unit_owner::cached);
    CHECK(says(crowd.check(), "the cache is not what entries hold; " + std::string(from.noun)));
    lost.release();
    CHECK(crowd.quiet() == none);
  }
}

TEST_CASE("a page that slipped out of its entry is found at once", "[actors][unit_accounts]") {
  random_crowd crowd = crowd_with_entries(test_seed(5));
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
