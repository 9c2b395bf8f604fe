#include "policies/directory/directory.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "policies/directory/event_log.hpp"
#include "tests/policies/cluster_values.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

const node_life first{.node = {"a"}, .life = {1}};
const node_life second{.node = {"b"}, .life = {7}};
const node_life first_again{.node = {"a"}, .life = {2}};

entry_event inserted(unsigned number, std::int64_t tokens = 10) {
  return {.change = entry_change::inserted,
          .key = key_of(number),
          .facts = {.tokens = tokens, .bytes = 100 * tokens}};
}

entry_event evicted(unsigned number) {
  return {.change = entry_change::evicted, .key = key_of(number)};
}

entry_event invalid(unsigned number) {
  return {.change = entry_change::invalid, .key = key_of(number)};
}

run_outcome said(run_verdict verdict, std::uint64_t replay_from = 0) {
  return {.verdict = verdict, .replay_from = replay_from};
}

std::vector<std::string> names_of(const std::vector<entry_holder>& holders) {
  std::vector<std::string> names;
  for (const entry_holder& each : holders) names.push_back(each.worker.node.text);
  return names;
}

using names = std::vector<std::string>;

directory with_first() {
  directory known;
  REQUIRE(known.meet(first));
  REQUIRE(known.apply(first, {0, {inserted(1), inserted(2), evicted(1)}}) ==
          said(run_verdict::applied));
  return known;
}

}  // namespace

TEST_CASE("who inserted an entry holds it, until it evicts it or finds it damaged",
          "[policies][directory]") {
  directory known = with_first();
  REQUIRE(known.meet(second));
  known.apply(second, {0, {inserted(2, 30), inserted(3)}});
  CHECK(names_of(known.holders(key_of(1))).empty());
  CHECK(names_of(known.holders(key_of(2))) == names{"a", "b"});
  CHECK(known.holders(key_of(2))[1].facts == entry_facts{.tokens = 30, .bytes = 3000});
  CHECK(known.holders(key_of(3))[0].worker == second);
  known.apply(second, {2, {invalid(2), evicted(3)}});
  CHECK(names_of(known.holders(key_of(2))) == names{"a"});
  CHECK(known.holders(key_of(3)).empty());
}

TEST_CASE("runs are applied, skipped or asked for again by their numbers",
          "[policies][directory]") {
  struct row {
    event_run run;
    run_outcome expected;
    std::uint64_t next;
  };
  const std::vector<row> table = {
      {{3, {inserted(4)}}, said(run_verdict::applied), 4},
      {{0, {inserted(1), inserted(2), evicted(1)}}, said(run_verdict::already_known), 3},
      {{2, {evicted(1)}}, said(run_verdict::already_known), 3},
      {{1, {inserted(2), evicted(1), inserted(4)}}, said(run_verdict::applied), 4},
      {{3, {}}, said(run_verdict::already_known), 3},
      {{4, {inserted(4)}}, said(run_verdict::gap, 3), 3},
      {{4, {}}, said(run_verdict::gap, 3), 3},  // An empty run tells how far the worker is.
      {{3 + 4096, {inserted(4)}}, said(run_verdict::gap, 3), 3},
      {{3 + 4097, {inserted(4)}}, said(run_verdict::needs_snapshot), 3}};
  for (const row& each : table) {
    CAPTURE(each.run.first_sequence, each.run.events.size());
    directory known = with_first();
    CHECK(known.apply(first, each.run) == each.expected);
    CHECK(known.next_sequence(first) == each.next);
    CHECK(names_of(known.holders(key_of(1))).empty());  // An old insertion does not come back.
    CHECK(known.holders(key_of(4)).size() == (each.next == 4 ? 1 : 0));
  }
}

TEST_CASE("a restarted worker is credited with nothing, and its former life is not heard",
          "[policies][directory]") {
  directory known = with_first();
  REQUIRE(known.meet(first_again));
  CHECK(known.holders(key_of(2)).empty());
  CHECK(known.next_sequence(first_again) == 0);
  CHECK(known.apply(first, {3, {inserted(9)}}) == said(run_verdict::needs_snapshot));
  CHECK_FALSE(known.take_snapshot(first, {.next_sequence = 9, .entries = {{key_of(9), {}}}}));
  CHECK_FALSE(known.miss(first, key_of(2)));
  CHECK(known.holders(key_of(9)).empty());
}

TEST_CASE("to meet a known life again changes nothing", "[policies][directory]") {
  directory known = with_first();
  REQUIRE(known.meet(first));
  CHECK(known.next_sequence(first) == 3);
  CHECK(known.entries(first) == 1);
}

TEST_CASE("a worker that was never met or was forgotten is heard by snapshot request only",
          "[policies][directory]") {
  directory known = with_first();
  CHECK(known.apply(second, {0, {inserted(2)}}) == said(run_verdict::needs_snapshot));
  known.forget({"a"});
  CHECK(known.workers() == 0);
  CHECK(known.holders(key_of(2)).empty());
  CHECK(known.apply(first, {3, {inserted(2)}}) == said(run_verdict::needs_snapshot));
}

TEST_CASE("a snapshot replaces what is known unless it is older", "[policies][directory]") {
  directory known = with_first();
  CHECK_FALSE(known.take_snapshot(first, {.next_sequence = 2, .entries = {}}));
  CHECK(known.entries(first) == 1);
  CHECK(known.take_snapshot(first, {.next_sequence = 50, .entries = {{key_of(5), {}}}}));
  CHECK(known.holders(key_of(2)).empty());
  CHECK(names_of(known.holders(key_of(5))) == names{"a"});
  CHECK(known.apply(first, {50, {evicted(5)}}) == said(run_verdict::applied));
}

TEST_CASE("an entry whose lease was refused is not credited until it is inserted again",
          "[policies][directory]") {
  directory known = with_first();
  CHECK(known.miss(first, key_of(2)));
  CHECK_FALSE(known.miss(first, key_of(2)));
  CHECK(known.holders(key_of(2)).empty());
  CHECK(known.apply(first, {3, {evicted(2), inserted(2)}}) == said(run_verdict::applied));
  CHECK(names_of(known.holders(key_of(2))) == names{"a"});
}

TEST_CASE("what was applied before is not applied again by a run that overlaps",
          "[policies][directory]") {
  directory known = with_first();
  REQUIRE(known.miss(first, key_of(2)));
  CHECK(known.apply(first, {1, {inserted(2), evicted(1), inserted(4)}}) ==
        said(run_verdict::applied));
  CHECK(known.holders(key_of(2)).empty());
  CHECK(names_of(known.holders(key_of(4))) == names{"a"});
}

TEST_CASE("workers and entries beyond the bounds are passed over", "[policies][directory]") {
  directory known({.workers_max = 1, .entries_max = 2});
  REQUIRE(known.meet(first));
  CHECK_FALSE(known.meet(second));
  CHECK(known.meet(first_again));
  known.apply(first_again, {0, {inserted(1), inserted(2), inserted(3), inserted(2, 99)}});
  CHECK(known.entries(first_again) == 2);
  CHECK(known.passed_over() == 1);
  CHECK(known.holders(key_of(3)).empty());
  CHECK(known.holders(key_of(2))[0].facts.tokens == 99);
  known.apply(first_again, {4, {evicted(1), inserted(3)}});
  CHECK(names_of(known.holders(key_of(3))) == names{"a"});
}

namespace {

// A worker that changes its entries at random, and the channel from it that loses, doubles and
// overlaps what it says.
struct random_worker {
  node_life id;
  event_log log{8};
  std::map<entry_key, entry_facts> held = {};

  void change(std::mt19937& random) {
    const unsigned number = below(random, 12);
    if (held.erase(key_of(number)) > 0) {
      log.append(chance(random, 80) ? evicted(number) : invalid(number));
    } else {
      const entry_event event = inserted(number, 1 + below(random, 50));
      held[event.key] = event.facts;
      log.append(event);
    }
  }

  entry_snapshot snapshot() const {
    entry_snapshot made{.next_sequence = log.next_sequence(), .entries = {}};
    for (const auto& [key, facts] : held) made.entries.push_back({key, facts});
    return made;
  }

  // Answers as a worker does: what was asked for, or a snapshot.
  void catch_up(directory& known) const {
    const run_outcome asked = known.apply(id, {log.next_sequence(), {}});
    if (asked.verdict == run_verdict::already_known) return;
    const auto replay =
        asked.verdict == run_verdict::gap ? log.replay_from(asked.replay_from) : std::nullopt;
    if (replay) {
      REQUIRE(known.apply(id, *replay) == said(run_verdict::applied));
    } else {
      REQUIRE(known.take_snapshot(id, snapshot()));
    }
  }
};

// Whether the directory knows of a worker that has been heard out exactly what it holds.
bool agrees(const directory& known, const random_worker& worker) {
  if (known.next_sequence(worker.id) != worker.log.next_sequence()) return false;
  if (known.entries(worker.id) != worker.held.size()) return false;
  for (const auto& [key, facts] : worker.held) {
    bool found = false;
    for (const entry_holder& holder : known.holders(key))
      found = found || holder == entry_holder{.worker = worker.id, .facts = facts};
    if (!found) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("whatever a channel loses, doubles or overlaps, who is heard out is known exactly",
          "[policies][directory]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  directory known({.replay_max = 6});
  std::vector<random_worker> workers = {{.id = first}, {.id = second}};
  for (const random_worker& each : workers) REQUIRE(known.meet(each.id));
  std::set<run_verdict> seen;
  for (int round = 0; round < 20'000; ++round) {
    random_worker& worker = workers[below(random, 2)];
    const unsigned what = below(random, 100);
    if (what < 50) {
      worker.change(random);
    } else if (what < 85) {
      const std::uint64_t back = below(random, 12);
      const std::uint64_t next = worker.log.next_sequence();
      const auto run = worker.log.replay_from(next - std::min(back, next));
      if (run) seen.insert(known.apply(worker.id, *run).verdict);
    } else if (what < 98) {
      worker.catch_up(known);
      REQUIRE(agrees(known, worker));
    } else {
      worker = {.id = {worker.id.node, {worker.id.life.bits + 1}}};
      REQUIRE(known.meet(worker.id));
      REQUIRE(agrees(known, worker));
    }
  }
  CHECK(seen.size() == 4);  // Each verdict came up.
}

TEST_CASE("a lost event and a forged one are found by the same comparison",
          "[policies][directory]") {
  directory known;
  random_worker worker{.id = first};
  REQUIRE(known.meet(first));
  std::mt19937 random(1);
  for (int change = 0; change < 5; ++change) worker.change(random);
  worker.catch_up(known);
  REQUIRE(agrees(known, worker));
  SECTION("an eviction that was never numbered") {
    worker.held.erase(worker.held.begin());
    CHECK_FALSE(agrees(known, worker));
  }
  SECTION("an insertion that was never numbered") {
    worker.held[key_of(200)] = {};
    CHECK_FALSE(agrees(known, worker));
  }
  SECTION("an event that another one replaced") {
    worker.change(random);
    known.apply(first, {known.next_sequence(first).value(), {inserted(201)}});
    CHECK_FALSE(agrees(known, worker));
  }
  SECTION("other facts than were told") {
    worker.held.begin()->second.bytes += 1;
    CHECK_FALSE(agrees(known, worker));
  }
}

}  // namespace weft
