#include "policies/flights/flight_board.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/policies/cluster_values.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

const node_life first{.node = {"a"}, .life = {1}};
const node_life second{.node = {"b"}, .life = {1}};
const node_life first_again{.node = {"a"}, .life = {2}};

request_id request(unsigned number) { return request_of(number); }

flight_maker at(const node_life& worker, instant ready_at = {}) {
  return {.worker = worker, .ready_at = ready_at};
}

using requests = std::vector<request_id>;

// Request 1 has the entry 9 made by `first`; 2 and 3 wait.
flight_board three_in_flight() {
  flight_board board;
  REQUIRE(board.claim(key_of(9), request(1), at(first)) == flight_role::make);
  REQUIRE(board.claim(key_of(9), request(2), at(second)) == flight_role::wait);
  REQUIRE(board.wait(key_of(9), request(3)));
  return board;
}

flight_handover handed(unsigned key, std::optional<node_life> stopped,
                       std::optional<request_id> next) {
  return {.key = key_of(key), .stopped = stopped, .next = next};
}

}  // namespace

TEST_CASE("the first to want an entry has it made, all others wait and are told",
          "[policies][flight_board]") {
  flight_board board = three_in_flight();
  CHECK(board.find(key_of(9))->maker->worker == first);
  CHECK(board.landed(key_of(9), first) == requests{request(1), request(2), request(3)});
  CHECK(board.flights() == 0);
  CHECK(board.keys_of(request(3)).empty());
  CHECK_FALSE(board.landed(key_of(9), first).has_value());
}

TEST_CASE("to claim or wait twice is to do it once", "[policies][flight_board]") {
  flight_board board = three_in_flight();
  CHECK(board.claim(key_of(9), request(2), at(second)) == flight_role::wait);
  CHECK(board.wait(key_of(9), request(2)));
  CHECK(board.claim(key_of(9), request(1), at(first)) == flight_role::make);
  CHECK_FALSE(board.wait(key_of(9), request(1)));
  CHECK(board.find(key_of(9))->waiters == requests{request(2), request(3)});
}

TEST_CASE("when the maker is lost or fails its owner is next, and the others go on waiting",
          "[policies][flight_board]") {
  flight_board board = three_in_flight();
  const bool lost = GENERATE(true, false);
  if (lost) {
    CHECK(board.lose(first) == std::vector{handed(9, std::nullopt, request(1))});
  } else {
    CHECK(board.failed(key_of(9), first) == handed(9, std::nullopt, request(1)));
  }
  CHECK_FALSE(remaining_ms(*board.find(key_of(9)), at_ms(0)).has_value());
  CHECK_FALSE(board.landed(key_of(9), first).has_value());
  CHECK(board.claim(key_of(9), request(4), at(second)) == flight_role::wait);
  CHECK(board.claim(key_of(9), request(1), at(second)) == flight_role::make);
  CHECK(board.landed(key_of(9), second) ==
        requests{request(1), request(2), request(3), request(4)});
}

TEST_CASE("when the owner goes the first waiter is next, and the maker is told",
          "[policies][flight_board]") {
  flight_board board = three_in_flight();
  CHECK(board.leave_all(request(1)) == std::vector{handed(9, first, request(2))});
  CHECK(*board.find(key_of(9)) ==
        flight{.owner = request(2), .maker = std::nullopt, .waiters = {request(3)}});
  CHECK(board.leave(key_of(9), request(2)) == handed(9, std::nullopt, request(3)));
  CHECK(board.claim(key_of(9), request(3), at(first)) == flight_role::make);
  CHECK(board.leave_all(request(3)) == std::vector{handed(9, first, std::nullopt)});
  CHECK(board.find(key_of(9)) == nullptr);
}

TEST_CASE("a waiter that goes disturbs nobody", "[policies][flight_board]") {
  flight_board board = three_in_flight();
  CHECK(board.leave_all(request(2)).empty());
  CHECK_FALSE(board.leave(key_of(9), request(2)).has_value());
  CHECK_FALSE(board.leave(key_of(8), request(1)).has_value());
  CHECK(board.landed(key_of(9), first) == requests{request(1), request(3)});
}

TEST_CASE("words of another maker, or of its other life, change nothing",
          "[policies][flight_board]") {
  flight_board board = three_in_flight();
  for (const node_life& other : {second, first_again}) {
    CHECK_FALSE(board.landed(key_of(9), other).has_value());
    CHECK_FALSE(board.failed(key_of(9), other).has_value());
    CHECK(board.lose(other).empty());
  }
  CHECK(board.find(key_of(9))->waiters.size() == 2);
}

TEST_CASE("beyond the bounds a request makes its entry alone", "[policies][flight_board]") {
  flight_board board({.flights_max = 1, .waiters_max = 1});
  CHECK(board.claim(key_of(1), request(1), at(first)) == flight_role::make);
  CHECK(board.claim(key_of(2), request(1), at(first)) == flight_role::alone);
  CHECK(board.claim(key_of(1), request(2), at(first)) == flight_role::wait);
  CHECK(board.claim(key_of(1), request(3), at(first)) == flight_role::alone);
  CHECK_FALSE(board.wait(key_of(1), request(3)));
  CHECK_FALSE(board.wait(key_of(2), request(3)));
  CHECK(board.keys_of(request(3)).empty());
  CHECK(board.flights() == 1);
}

TEST_CASE("the rest of a making runs down to zero", "[policies][flight_board]") {
  flight_board board;
  board.claim(key_of(1), request(1), at(first, at_ms(50)));
  CHECK(remaining_ms(*board.find(key_of(1)), at_ms(20)) == 30);
  CHECK(remaining_ms(*board.find(key_of(1)), at_ms(80)) == 0);
}

namespace {

constexpr unsigned keys = 6;
constexpr unsigned askers = 8;

// What the test has seen, flight by flight. The owner comes first.
struct seen_flight {
  requests wanting;
  std::optional<node_life> maker;
};
using seen_flights = std::map<entry_key, seen_flight>;

bool agrees(const flight_board& board, const seen_flights& seen) {
  if (board.flights() != seen.size()) return false;
  for (unsigned number = 0; number < keys; ++number) {
    const flight* known = board.find(key_of(number));
    const auto expected = seen.find(key_of(number));
    if ((known == nullptr) != (expected == seen.end())) return false;
    if (known == nullptr) continue;
    requests wanting = {known->owner};
    wanting.insert(wanting.end(), known->waiters.begin(), known->waiters.end());
    if (wanting != expected->second.wanting) return false;
    if (known->maker.has_value() != expected->second.maker.has_value()) return false;
    if (known->maker && known->maker->worker != *expected->second.maker) return false;
  }
  for (unsigned asker = 0; asker < askers; ++asker) {
    std::vector<entry_key> wanted;
    for (const auto& [key, each] : seen)
      if (std::count(each.wanting.begin(), each.wanting.end(), request(asker)) > 0)
        wanted.push_back(key);
    if (board.keys_of(request(asker)) != wanted) return false;
  }
  return true;
}

struct random_board {
  flight_board board{{.flights_max = 4, .waiters_max = 3}};
  seen_flights seen = {};
  std::map<flight_role, int> roles = {};

  void claim(const entry_key& key, request_id asker, const node_life& worker) {
    const flight_role role = board.claim(key, asker, at(worker));
    ++roles[role];
    const auto known = seen.find(key);
    if (known == seen.end()) {
      REQUIRE(role == (seen.size() < 4 ? flight_role::make : flight_role::alone));
      if (role == flight_role::make) seen[key] = {.wanting = {asker}, .maker = worker};
      return;
    }
    requests& wanting = known->second.wanting;
    if (wanting[0] == asker) {
      REQUIRE(role == flight_role::make);
      known->second.maker = worker;
    } else if (std::count(wanting.begin(), wanting.end(), asker) > 0) {
      REQUIRE(role == flight_role::wait);
    } else {
      REQUIRE(role == (wanting.size() < 4 ? flight_role::wait : flight_role::alone));
      if (role == flight_role::wait) wanting.push_back(asker);
    }
  }

  void land(const entry_key& key, const node_life& worker) {
    const auto told = board.landed(key, worker);
    const auto known = seen.find(key);
    REQUIRE(told.has_value() == (known != seen.end() && known->second.maker == worker));
    if (!told) return;
    REQUIRE(*told == known->second.wanting);
    seen.erase(known);
  }

  void lose(const node_life& worker) {
    const auto lost = board.lose(worker);
    std::vector<flight_handover> expected;
    for (auto& [key, each] : seen) {
      if (each.maker != worker) continue;
      each.maker.reset();
      expected.push_back({.key = key, .stopped = std::nullopt, .next = each.wanting[0]});
    }
    REQUIRE(lost == expected);
  }

  void leave_all(request_id asker) {
    const auto left = board.leave_all(asker);
    std::vector<flight_handover> expected;
    for (auto known = seen.begin(); known != seen.end();) {
      requests& wanting = known->second.wanting;
      const bool owner = wanting[0] == asker;
      std::erase(wanting, asker);
      flight_handover each{.key = known->first, .stopped = known->second.maker, .next = {}};
      if (!wanting.empty()) each.next = wanting[0];
      if (owner) expected.push_back(each);
      if (owner) known->second.maker.reset();
      known = wanting.empty() ? seen.erase(known) : std::next(known);
    }
    REQUIRE(left == expected);
  }
};

}  // namespace

TEST_CASE("after any order of claims, losses and cancels each flight has the owner it should",
          "[policies][flight_board]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  random_board each;
  const std::vector<node_life> workers = {first, second, first_again};
  for (int round = 0; round < 20'000; ++round) {
    const entry_key key = key_of(below(random, keys));
    const request_id asker = request(below(random, askers));
    const node_life& worker = workers[below(random, 3)];
    const unsigned what = below(random, 100);
    if (what < 60) {
      each.claim(key, asker, worker);
    } else if (what < 80) {
      each.land(key, worker);
    } else if (what < 85) {
      each.lose(worker);
    } else {
      each.leave_all(asker);
    }
    REQUIRE(agrees(each.board, each.seen));
  }
  CHECK(each.roles.size() == 3);
}

TEST_CASE("a lost landing, a second owner and a lost waiter are found by the same comparison",
          "[policies][flight_board]") {
  random_board each;
  each.claim(key_of(1), request(1), first);
  each.claim(key_of(1), request(2), second);
  REQUIRE(agrees(each.board, each.seen));
  SECTION("a landing that nobody heard") { each.board.landed(key_of(1), first); }
  SECTION("a loss that nobody heard") { each.board.lose(first); }
  SECTION("a waiter that was dropped") { each.board.leave(key_of(1), request(2)); }
  SECTION("an owner that was swapped") { each.board.leave(key_of(1), request(1)); }
  SECTION("a flight too many") { each.board.claim(key_of(2), request(2), at(second)); }
  CHECK_FALSE(agrees(each.board, each.seen));
}

}  // namespace weft
