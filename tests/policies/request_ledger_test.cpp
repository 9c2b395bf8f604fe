// The request book as its neighbours see it: after any order of plans, losses, reports and cancels
// nobody works for nothing, nobody dead is counted on, and every charge is settled once.
#include "tests/policies/request_ledger.hpp"

#include <catch2/catch.hpp>

#include "tests/test_seed.hpp"

namespace weft {
namespace {

constexpr request_limits limits{.requests_max = 6, .plans_max = 3};

// A router that does as its book says, among nodes that die and return as another life.
struct random_router {
  std::mt19937 random;
  request_book book{limits};
  request_ledger ledger = {};
  std::vector<node_life> nodes = {
      {{"a"}, {1}}, {{"b"}, {1}}, {{"c"}, {1}}, {{"d"}, {1}}, {{"gate"}, {1}}};
  instant now = {};
  std::uint64_t next_charge = 1;
  std::uint64_t next_id = 1;
  std::map<recovery_kind, int> recovered = {};

  const node_life& worker() { return nodes[below(random, 4)]; }

  // Of late: mostly requests in flight.
  request_id some_request() {
    return request_of(next_id - std::min<std::uint64_t>(next_id, below(random, 10)));
  }
  generation some_generation(request_id id) {
    const request_in_flight* known = book.find(id);
    if (known == nullptr || chance(random, 40)) return generation{below(random, 4)};
    return known->generation;
  }

  void plan(request_id id) {
    const request_in_flight& known = *book.find(id);
    const bool keeps = known.generation > generation{} && !known.combine_lost;
    serving_plan made{.combine = keeps ? known.plan.combine : worker(), .expected = {}};
    const unsigned segments = below(random, 5);
    for (std::size_t segment = 0; segment < segments; ++segment)
      made.expected.push_back({segment, worker()});
    if (keeps && chance(random, 50)) made.charges = known.plan.charges;
    made.charges.push_back({made.combine, next_charge++});
    const auto change = book.plan(id, made);
    REQUIRE(change.has_value());
    ledger.planned(id, made, *change);
  }

  void follow(const request_losses& losses) {
    for (const request_end& each : losses.ended) ledger.ended(each);
    for (const request_recovery& each : losses.recover) {
      ++recovered[each.kind];
      plan(each.id);
    }
  }

  void admit() {
    const request_id id = request_of(next_id++);
    const node_life gateway = nodes[4];
    if (!book.admit({.id = id,
                     .gateway = gateway,
                     .deadline = chance(random, 50)
                                     ? std::optional(now + duration{below(random, 200)})
                                     : std::nullopt,
                     .tokens_max = 5})) {
      REQUIRE(book.in_flight() == limits.requests_max);
      return;
    }
    ledger.admitted(id, gateway);
    plan(id);
  }

  void die() {
    node_life& node = nodes[chance(random, 90) ? below(random, 4) : 4];
    const node_life former = node;
    ++node.life.bits;
    ledger.died(former);
    follow(book.lose(former));
  }

  void report(request_id id, weft::generation generation) {
    const unsigned what = below(random, 5);
    bool settled = false;
    if (what == 0) {
      book.advance(id, generation, request_phase{static_cast<std::uint8_t>(below(random, 5))});
      settled = true;
    } else if (what == 1) {
      book.settle_segment(id, generation, below(random, 5));
      settled = true;
    } else if (what == 2) {
      book.tell(id, generation, below(random, 4), token_ids(below(random, 4), 7));
      settled = true;
    } else if (what == 3) {
      if (const auto end = book.finish(id, generation)) ledger.ended(*end);
    } else if (chance(random, 50)) {
      if (const auto end = book.fail(id, generation, broken("no"))) ledger.ended(*end);
    } else {
      follow(book.give_up_plan(id, generation, "no"));
    }
    if (settled && book.find(id) != nullptr) ledger.settled(id, book);
  }

  void step() {
    now += duration{1};
    const unsigned what = below(random, 100);
    const request_id id = some_request();
    if (what < 30) {
      admit();
    } else if (what < 80) {
      report(id, some_generation(id));
    } else if (what < 88) {
      if (const auto end = book.cancel(id)) ledger.ended(*end);
    } else if (what < 95) {
      die();
    } else {
      for (const request_end& each : book.expire(now)) ledger.ended(each);
    }
  }
};

}  // namespace

TEST_CASE("whatever is lost, cancelled or late, requests, workers and charges come out even",
          "[policies][request_book]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  random_router router{.random = std::mt19937(seed)};
  for (int round = 0; round < 20'000; ++round) {
    router.step();
    const auto faults = router.ledger.faults(router.book, limits);
    CAPTURE(round, faults);
    REQUIRE(faults.empty());
  }
  const request_counts& counts = router.book.counts();
  CHECK(counts.ended.size() == 5);
  CHECK(std::min(counts.late, counts.unknown) > 50);
  CHECK(router.recovered.size() == 3);
}

TEST_CASE("a stop not told, a charge settled twice, a dead worker and a lost end are found",
          "[policies][request_book]") {
  constexpr request_id one = request_of(1);
  const node_life combine{{"a"}, {1}};
  const node_life scatter{{"b"}, {1}};
  request_book book(limits);
  request_ledger ledger;
  REQUIRE(book.admit({.id = one, .gateway = {{"gate"}, {1}}, .tokens_max = 5}));
  ledger.admitted(one, {{"gate"}, {1}});
  const serving_plan made{
      .combine = combine, .expected = {{0, scatter}}, .charges = {{combine, 1}}};
  ledger.planned(one, made, *book.plan(one, made));
  REQUIRE(ledger.faults(book, limits).empty());
  SECTION("a stop not told") {
    auto end = book.cancel(one);
    REQUIRE(end->tell.size() == 2);
    end->tell.pop_back();
    ledger.ended(*end);
  }
  SECTION("a charge never settled") {
    auto end = book.cancel(one);
    end->charges.clear();
    ledger.ended(*end);
  }
  SECTION("a charge settled twice") {
    auto end = book.cancel(one);
    end->charges.push_back(end->charges[0]);
    ledger.ended(*end);
  }
  SECTION("an end told twice") {
    const auto end = book.cancel(one);
    ledger.ended(*end);
    ledger.ended(*end);
  }
  SECTION("an end that nobody heard") { REQUIRE(book.cancel(one).has_value()); }
  SECTION("a loss that the book did not hear") { ledger.died(scatter); }
  SECTION("a loss that the worker did not notice") {
    REQUIRE(book.lose(scatter).recover.size() == 1);
  }
  SECTION("a plan that nobody was sent") {
    REQUIRE(book.plan(one, {.combine = scatter}).has_value());
  }
  CHECK_FALSE(ledger.faults(book, limits).empty());
}

}  // namespace weft
