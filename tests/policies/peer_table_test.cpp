#include "policies/membership/peer_table.hpp"

#include <algorithm>
#include <set>

#include <catch2/catch.hpp>

#include "tests/policies/cluster_values.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

const node_life first{.node = {"a"}, .life = {11}};
const node_life first_again{.node = {"a"}, .life = {5}};  // Later, and lower: they have no order.
const node_life second{.node = {"b"}, .life = {1}};
const role_set worker_roles = {node_role::scatter, node_role::combine};

peer_event event(peer_change change, const node_life& node, role_set roles = worker_roles) {
  return {.change = change, .node = node, .roles = roles};
}

using events = std::vector<peer_event>;

void hello(peer_table& table, const node_life& node, instant now = {}) {
  const auto news = table.hear_hello(node, worker_roles, worker_roles, now);
  REQUIRE(news.ok());
  REQUIRE(news->verdict == heard::taken);
}

peer_news beat(peer_table& table, const node_life& node, std::uint64_t sequence, instant now = {}) {
  return table.hear_heartbeat({.node = node, .sequence = sequence}, now);
}

peer_news drain(peer_table& table, const node_life& node, std::uint64_t sequence) {
  return table.hear_heartbeat({.node = node, .sequence = sequence, .draining = true}, {});
}

peer_news said(heard verdict, events what = {}) { return {.verdict = verdict, .events = what}; }

// `first` lives, as of its heartbeat 3.
peer_table with_first() {
  peer_table table;
  hello(table, first);
  REQUIRE(beat(table, first, 3) == said(heard::taken, {event(peer_change::joined, first)}));
  return table;
}

peer_state state_of(const peer_table& table, const node_name& name = {"a"}) {
  REQUIRE(table.find(name) != nullptr);
  return table.find(name)->state;
}

}  // namespace

TEST_CASE("a peer joins by a hello and lives from its first heartbeat on",
          "[policies][peer_table]") {
  peer_table table;
  CHECK(beat(table, first, 1) == said(heard::unknown));
  hello(table, first);
  CHECK(state_of(table) == peer_state::joining);
  CHECK(table.living().empty());
  CHECK(beat(table, first, 1) == said(heard::taken, {event(peer_change::joined, first)}));
  CHECK(beat(table, first, 2) == said(heard::taken));
  CHECK(state_of(table) == peer_state::live);
  CHECK(table.living().size() == 1);
}

TEST_CASE("two seconds of silence are death, and less is not", "[policies][peer_table]") {
  peer_table table = with_first();
  CHECK(beat(table, first, 4, at_ms(500)) == said(heard::taken));
  CHECK(table.next_silence() == at_ms(2'500));
  CHECK(table.give_up_silent(at_ms(2'499)).empty());
  CHECK(table.give_up_silent(at_ms(2'500)) == events{event(peer_change::lost, first)});
  CHECK(table.give_up_silent(at_ms(9'000)).empty());
  CHECK(state_of(table) == peer_state::dead);
  CHECK(table.next_silence() == std::nullopt);
  CHECK(table.living().empty());
}

TEST_CASE("a heartbeat that comes late or twice is no sign of life", "[policies][peer_table]") {
  peer_table table = with_first();
  CHECK(beat(table, first, 3, at_ms(1'900)) == said(heard::ignored));
  CHECK(beat(table, first, 2, at_ms(1'900)) == said(heard::ignored));
  CHECK(table.give_up_silent(at_ms(2'000)).size() == 1);
}

TEST_CASE("a hello alone does not keep a peer alive", "[policies][peer_table]") {
  peer_table table = with_first();
  hello(table, first, at_ms(1'900));
  CHECK(table.give_up_silent(at_ms(2'000)).size() == 1);
  hello(table, second, at_ms(2'000));
  CHECK(table.give_up_silent(at_ms(4'000)).empty());  // It never joined, so it is not lost.
  CHECK(state_of(table, {"b"}) == peer_state::dead);
}

TEST_CASE("a peer that was given up must say hello, and speak anew", "[policies][peer_table]") {
  peer_table table = with_first();
  table.give_up_silent(at_ms(2'000));
  CHECK(beat(table, first, 4, at_ms(2'100)) == said(heard::unknown));
  CHECK(state_of(table) == peer_state::dead);
  hello(table, first, at_ms(2'200));
  CHECK(beat(table, first, 3, at_ms(2'300)) == said(heard::ignored));
  CHECK(beat(table, first, 5, at_ms(2'300)) ==
        said(heard::taken, {event(peer_change::joined, first)}));
}

TEST_CASE("a new life ends the former one, and what still comes from that is ignored",
          "[policies][peer_table]") {
  peer_table table = with_first();
  CHECK(table.hear_hello(first_again, worker_roles, worker_roles, at_ms(1))->events ==
        events{event(peer_change::replaced, first)});
  CHECK(state_of(table) == peer_state::joining);
  CHECK(beat(table, first, 9) == said(heard::ignored));
  CHECK(table.hear_goodbye(first) == said(heard::ignored));
  CHECK(*table.hear_hello(first, worker_roles, worker_roles, at_ms(2)) == said(heard::ignored));
  CHECK(table.find({"a"})->node == first_again);
  CHECK(beat(table, first_again, 1) ==
        said(heard::taken, {event(peer_change::joined, first_again)}));
}

TEST_CASE("a life that nobody greeted is asked for its hello", "[policies][peer_table]") {
  peer_table table = with_first();
  CHECK(beat(table, first_again, 1) == said(heard::unknown));
  CHECK(state_of(table) == peer_state::live);
}

TEST_CASE("a draining peer gets there once and stays until its life ends",
          "[policies][peer_table]") {
  peer_table table = with_first();
  CHECK(drain(table, first, 4) == said(heard::taken, {event(peer_change::draining, first)}));
  CHECK(drain(table, first, 5) == said(heard::taken));
  CHECK(beat(table, first, 6) == said(heard::taken));
  CHECK(state_of(table) == peer_state::draining);
  CHECK(table.living().size() == 1);
  CHECK(table.give_up_silent(at_ms(2'000)) == events{event(peer_change::lost, first)});
  hello(table, second);
  CHECK(drain(table, second, 1).events ==
        events{event(peer_change::joined, second), event(peer_change::draining, second)});
}

TEST_CASE("who said goodbye has left, at once and for good", "[policies][peer_table]") {
  peer_table table = with_first();
  CHECK(table.hear_goodbye(first) == said(heard::taken, {event(peer_change::left, first)}));
  CHECK(table.hear_goodbye(first) == said(heard::ignored));
  CHECK(beat(table, first, 9) == said(heard::ignored));
  CHECK(*table.hear_hello(first, worker_roles, worker_roles, at_ms(1)) == said(heard::ignored));
  CHECK(state_of(table) == peer_state::left);
  CHECK(table.give_up_silent(at_ms(9'000)).empty());
  hello(table, first_again);
  CHECK(state_of(table) == peer_state::joining);
  CHECK(table.hear_goodbye(first_again) == said(heard::taken));  // It had not joined.
  CHECK(table.hear_goodbye(second) == said(heard::ignored));
}

TEST_CASE("a node gets no role that its certificate does not give it", "[policies][peer_table]") {
  peer_table table;
  const auto refused =
      table.hear_hello(first, {node_role::router, node_role::scatter}, worker_roles, at_ms(0));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == failure_kind::rejected);
  CHECK(refused.error().message.find("does not give it router") != std::string::npos);
  CHECK(table.find({"a"}) == nullptr);
  table = with_first();
  CHECK_FALSE(table.hear_hello(first, {node_role::router}, worker_roles, at_ms(0)).ok());
  CHECK_FALSE(table.hear_hello(first_again, {node_role::router}, worker_roles, at_ms(0)).ok());
  CHECK(table.find({"a"})->node == first);
  CHECK(table.find({"a"})->roles == worker_roles);
}

TEST_CASE("a peer may change its roles while it lives", "[policies][peer_table]") {
  peer_table table = with_first();
  const role_set less = {node_role::scatter};
  CHECK(table.hear_hello(first, less, worker_roles, at_ms(0))->events ==
        events{event(peer_change::roles_changed, first, less)});
  CHECK(table.hear_hello(first, less, worker_roles, at_ms(0))->events.empty());
  CHECK(state_of(table) == peer_state::live);
}

TEST_CASE("a full table takes a new name in place of the one longest gone, or refuses it",
          "[policies][peer_table]") {
  peer_table table({.peers_max = 2, .former_max = 2});
  hello(table, first, at_ms(0));
  hello(table, second, at_ms(100));
  const node_life third{.node = {"c"}, .life = {1}};
  const auto refused = table.hear_hello(third, worker_roles, worker_roles, at_ms(200));
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == failure_kind::overloaded);
  table.give_up_silent(at_ms(2'100));
  hello(table, third, at_ms(2'200));
  CHECK(table.find({"a"}) == nullptr);
  CHECK(table.known() == 2);
}

TEST_CASE("only the last lives are remembered", "[policies][peer_table]") {
  peer_table table({.former_max = 2});
  for (std::uint64_t life = 1; life <= 4; ++life) hello(table, {.node = {"a"}, .life = {life}});
  const auto said_by = [&](std::uint64_t life) {
    return beat(table, {.node = {"a"}, .life = {life}}, 1).verdict;
  };
  CHECK(said_by(3) == heard::ignored);
  CHECK(said_by(2) == heard::ignored);
  CHECK(said_by(1) == heard::unknown);
}

namespace {

// What one who only hears the events takes for living.
struct listener {
  std::map<node_life, role_set> living = {};
  std::set<node_life> draining = {};

  // False: an event that cannot follow what was heard before.
  bool hear(const peer_event& event) {
    const bool known = living.contains(event.node);
    if (event.change == peer_change::joined) {
      if (known) return false;
      living[event.node] = event.roles;
    } else if (!known) {
      return false;
    } else if (ends_a_life(event.change)) {
      living.erase(event.node);
      draining.erase(event.node);
    } else if (event.change == peer_change::draining) {
      return draining.insert(event.node).second;
    } else {
      living[event.node] = event.roles;
    }
    return true;
  }

  bool agrees(const peer_table& table) const {
    std::map<node_life, role_set> known;
    std::set<node_life> known_draining;
    for (const peer& each : table.living()) {
      known[each.node] = each.roles;
      if (each.state == peer_state::draining) known_draining.insert(each.node);
    }
    return known == living && known_draining == draining;
  }
};

// Peers that say what they like, twice and late too.
events random_step(peer_table& table, std::mt19937& random, instant& now) {
  const node_life node{.node = {std::string(1, static_cast<char>('a' + below(random, 4)))},
                       .life = {1 + below(random, 12)}};
  const role_set roles = chance(random, 50) ? worker_roles : role_set{node_role::scatter};
  const unsigned what = below(random, 100);
  if (what < 20) {
    const auto news = table.hear_hello(node, roles, worker_roles, now);
    return news.ok() ? news.value().events : events{};
  }
  if (what < 25) return table.hear_goodbye(node).events;
  if (what < 90) {
    // Mostly lives that count, so that some last.
    const peer* known = table.find(node.node);
    const node_life speaker = known != nullptr && chance(random, 80) ? known->node : node;
    const std::uint64_t sequence = static_cast<std::uint64_t>(now.count()) - below(random, 3);
    return table
        .hear_heartbeat({.node = speaker, .sequence = sequence, .draining = chance(random, 5)}, now)
        .events;
  }
  now += std::chrono::milliseconds(below(random, 1'500));
  return table.give_up_silent(now);
}

}  // namespace

TEST_CASE("who hears every change knows exactly who lives", "[policies][peer_table]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  peer_table table({.peers_max = 3});
  listener heard_all;
  instant now = at_ms(1);
  std::map<peer_change, int> changes;
  for (int round = 0; round < 20'000; ++round) {
    for (const peer_event& each : random_step(table, random, now)) {
      ++changes[each.change];
      REQUIRE(heard_all.hear(each));
    }
    now += duration{1};
    REQUIRE(heard_all.agrees(table));
    REQUIRE(table.known() <= 3);
  }
  CHECK(changes.size() == 6);
}

TEST_CASE("a change that is lost or told twice is found by the same comparison",
          "[policies][peer_table]") {
  peer_table table = with_first();
  listener all;
  REQUIRE(all.hear(event(peer_change::joined, first)));
  REQUIRE(all.agrees(table));
  SECTION("lost") {
    REQUIRE(table.give_up_silent(at_ms(2'000)).size() == 1);
    CHECK_FALSE(all.agrees(table));
  }
  SECTION("a drain lost") {
    REQUIRE(drain(table, first, 4).events.size() == 1);
    CHECK_FALSE(all.agrees(table));
  }
  SECTION("twice") { CHECK_FALSE(all.hear(event(peer_change::joined, first))); }
  SECTION("of a life that is not there") {
    CHECK_FALSE(all.hear(event(peer_change::lost, first_again)));
  }
}

}  // namespace weft
