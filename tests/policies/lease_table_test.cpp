#include "policies/leases/lease_table.hpp"

#include <catch2/catch.hpp>

#include "tests/policies/cluster_values.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

const node_life first{.node = {"a"}, .life = {1}};
const node_life second{.node = {"b"}, .life = {1}};
const node_life first_again{.node = {"a"}, .life = {2}};
constexpr request_id one = request_of(1);
constexpr request_id two = request_of(2);

duration ms(std::int64_t count) { return std::chrono::milliseconds(count); }

lease_table with_takers(lease_limits limits = {}) {
  lease_table table(limits);
  table.meet(first);
  table.meet(second);
  return table;
}

// What the counts and the table's own sums must say of each other, whatever happened.
bool balanced(const lease_table& table) {
  const lease_counts& counts = table.counts();
  return counts.granted == counts.released + counts.run_out + counts.lost + table.open();
}

}  // namespace

TEST_CASE("a lease holds its entry until it is released", "[policies][lease_table]") {
  lease_table table = with_takers();
  const auto held = table.grant(key_of(1), first, one, ms(300), at_ms(10));
  REQUIRE(held.has_value());
  CHECK(
      *held ==
      lease{.id = held->id, .key = key_of(1), .taker = first, .request = one, .ends = at_ms(310)});
  CHECK(table.open_on(key_of(1)) == 1);
  CHECK(table.open_on(key_of(2)) == 0);
  CHECK(table.release(held->id, first) == held);
  CHECK(table.open_on(key_of(1)) == 0);
  CHECK(table.next_end() == std::nullopt);
}

TEST_CASE("a lease is released once, and by its taker alone", "[policies][lease_table]") {
  lease_table table = with_takers();
  const lease_id id = table.grant(key_of(1), first, one, ms(300), at_ms(0))->id;
  CHECK_FALSE(table.release(id, second).has_value());
  CHECK_FALSE(table.renew(id, second, ms(900), at_ms(0)).has_value());
  CHECK(table.open() == 1);
  CHECK(table.release(id, first).has_value());
  CHECK_FALSE(table.release(id, first).has_value());
  CHECK_FALSE(table.renew(id, first, ms(900), at_ms(0)).has_value());
  CHECK(table.counts().released == 1);
  CHECK(balanced(table));
}

TEST_CASE("a lease asked for again is the same one, renewed", "[policies][lease_table]") {
  lease_table table = with_takers();
  const auto held = table.grant(key_of(1), first, one, ms(300), at_ms(0));
  const auto again = table.grant(key_of(1), first, one, ms(300), at_ms(100));
  CHECK(again->id == held->id);
  CHECK(again->ends == at_ms(400));
  CHECK(table.open() == 1);
  CHECK(table.grant(key_of(1), first, two, ms(300), at_ms(0))->id != held->id);
  CHECK(table.grant(key_of(1), second, one, ms(300), at_ms(0))->id != held->id);
  CHECK(table.open_on(key_of(1)) == 3);
}

TEST_CASE("time is capped below the silence that means death", "[policies][lease_table]") {
  lease_table table = with_takers();
  const auto held = table.grant(key_of(1), first, one, std::chrono::hours(1), at_ms(0));
  CHECK(held->ends == at_ms(1'500));
  CHECK(held->ends < silence_max);
  CHECK(table.renew(held->id, first, ms(9'000), at_ms(1'000))->ends == at_ms(2'500));
  CHECK(table.renew(held->id, first, ms(-5), at_ms(1'200))->ends == at_ms(1'200));
}

TEST_CASE("leases run out in the order of their ends, those of this very moment too",
          "[policies][lease_table]") {
  lease_table table = with_takers();
  const auto late = table.grant(key_of(1), first, one, ms(300), at_ms(0));
  const auto early = table.grant(key_of(2), second, one, ms(100), at_ms(0));
  const auto kept = table.grant(key_of(3), second, one, ms(301), at_ms(0));
  CHECK(table.next_end() == at_ms(100));
  CHECK(table.expire(at_ms(99)).empty());
  CHECK(table.expire(at_ms(300)) == std::vector{*early, *late});
  CHECK(table.expire(at_ms(300)).empty());
  CHECK(table.next_end() == kept->ends);
  CHECK(table.counts().run_out == 2);
}

TEST_CASE("no lease outlives its taker's life", "[policies][lease_table]") {
  lease_table table = with_takers();
  const auto held = table.grant(key_of(1), first, one, ms(300), at_ms(0));
  const auto other = table.grant(key_of(1), second, one, ms(300), at_ms(0));
  CHECK(table.meet(first).empty());
  CHECK(table.meet(first_again) == std::vector{*held});
  CHECK_FALSE(table.grant(key_of(1), first, one, ms(300), at_ms(0)).has_value());
  CHECK_FALSE(table.release(held->id, first).has_value());
  CHECK(table.open_on(key_of(1)) == 1);
  CHECK(table.forget({"b"}) == std::vector{*other});
  CHECK_FALSE(table.grant(key_of(1), second, one, ms(300), at_ms(0)).has_value());
  CHECK(table.counts().lost == 2);
  CHECK(balanced(table));
}

TEST_CASE("leases and takers beyond the bounds are refused", "[policies][lease_table]") {
  lease_table table = with_takers({.leases_max = 1, .takers_max = 2});
  CHECK(table.grant(key_of(1), first, one, ms(300), at_ms(0)).has_value());
  CHECK_FALSE(table.grant(key_of(2), first, one, ms(300), at_ms(0)).has_value());
  CHECK(table.grant(key_of(1), first, one, ms(300), at_ms(0)).has_value());  // No new one.
  const node_life third{.node = {"c"}, .life = {1}};
  table.meet(third);
  CHECK_FALSE(table.grant(key_of(1), third, one, ms(300), at_ms(0)).has_value());
}

namespace {

// The open leases, as the test keeps them.
using seen_leases = std::map<lease_id, lease>;

bool agrees(const lease_table& table, const seen_leases& seen) {
  if (!balanced(table) || table.open() != seen.size()) return false;
  std::map<entry_key, std::size_t> on_entry;
  std::optional<instant> next;
  for (const auto& [id, each] : seen) {
    ++on_entry[each.key];
    next = std::min(next.value_or(each.ends), each.ends);
  }
  for (unsigned number = 0; number < 5; ++number)
    if (table.open_on(key_of(number)) != on_entry[key_of(number)]) return false;
  return table.next_end() == next;
}

// Removes what ended; false if one of them was not open.
bool remove(seen_leases& seen, const std::vector<lease>& ended) {
  for (const lease& each : ended) {
    const auto known = seen.find(each.id);
    if (known == seen.end() || known->second != each) return false;
    seen.erase(known);
  }
  return true;
}

struct random_leases {
  lease_table table = with_takers({.leases_max = 20});
  seen_leases seen = {};
  std::vector<node_life> takers = {first, second};
  std::uint64_t last_id = 0;
  instant now = {};

  void grant_or_renew(std::mt19937& random, const node_life& taker, lease_id id) {
    const duration time = ms(below(random, 2'000));
    const auto held = chance(random, 70) ? table.grant(key_of(below(random, 5)), taker,
                                                       request_of(below(random, 6)), time, now)
                                         : table.renew(id, taker, time, now);
    if (!held) return;
    REQUIRE(held->ends == now + std::min(time, ms(1'500)));
    seen[held->id] = *held;
    last_id = std::max(last_id, static_cast<std::uint64_t>(held->id));
  }

  void step(std::mt19937& random) {
    const std::size_t who = below(random, 2);
    const lease_id id{last_id - std::min<std::uint64_t>(last_id, below(random, 12))};
    const unsigned what = below(random, 100);
    if (what < 55) {
      grant_or_renew(random, takers[who], id);
    } else if (what < 80) {
      const bool own = seen.contains(id) && seen[id].taker == takers[who];
      const auto ended = table.release(id, takers[who]);
      REQUIRE(ended.has_value() == own);
      if (ended) REQUIRE(remove(seen, {*ended}));
    } else if (what < 97) {
      now += ms(below(random, 300));
      REQUIRE(remove(seen, table.expire(now)));
      for (const auto& [key, each] : seen) REQUIRE(each.ends > now);
    } else {
      ++takers[who].life.bits;
      REQUIRE(remove(seen, table.meet(takers[who])));
      for (const auto& [key, each] : seen) REQUIRE(each.taker != takers[who]);
    }
  }
};

}  // namespace

TEST_CASE("after any order of grants, releases, ends and deaths the counts are exact",
          "[policies][lease_table]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  random_leases leases;
  for (int round = 0; round < 20'000; ++round) {
    leases.step(random);
    REQUIRE(agrees(leases.table, leases.seen));
  }
  const lease_counts& counts = leases.table.counts();
  CHECK(std::min({counts.released, counts.run_out, counts.lost}) > 100);
}

TEST_CASE("a second release, a lost one and a forgotten death are found by the same comparison",
          "[policies][lease_table]") {
  random_leases leases;
  const auto held = leases.table.grant(key_of(1), first, one, ms(300), at_ms(0));
  const auto other = leases.table.grant(key_of(1), second, one, ms(300), at_ms(0));
  leases.seen = {{held->id, *held}, {other->id, *other}};
  REQUIRE(agrees(leases.table, leases.seen));
  SECTION("a release counted twice") {
    REQUIRE(remove(leases.seen, {*leases.table.release(held->id, first)}));
    REQUIRE(agrees(leases.table, leases.seen));
    CHECK_FALSE(remove(leases.seen, {*held}));
    return;
  }
  SECTION("a release lost") { leases.seen.erase(held->id); }
  SECTION("a death not told") { leases.table.forget({"b"}); }
  SECTION("an end moved") { leases.seen[held->id].ends -= ms(1); }
  CHECK_FALSE(agrees(leases.table, leases.seen));
}

}  // namespace weft
