#include "policies/routing/load_book.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "tests/policies/cluster_values.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

const node_life worker{.node = {"a"}, .life = {1}};
const node_life restarted{.node = {"a"}, .life = {2}};

load_book book_with_worker() {
  load_book book;
  REQUIRE(book.meet(worker));
  return book;
}

}  // namespace

TEST_CASE("a queue is what was reported, less the time since, and what was charged",
          "[policies][load_book]") {
  load_book book = book_with_worker();
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 0);
  CHECK(book.take(worker, {.queued_ms = 100}, at_ms(50)));
  CHECK(book.queue_ms({"a"}, at_ms(50)) == 100);
  CHECK(book.queue_ms({"a"}, at_ms(80)) == 70);
  CHECK(book.queue_ms({"a"}, at_ms(500)) == 0);
  CHECK(book.charge(worker, 30) == 1);
  CHECK(book.charge(worker, 12) == 2);
  CHECK(book.queue_ms({"a"}, at_ms(80)) == 112);
  CHECK(book.queue_ms({"a"}, at_ms(500)) == 42);  // Charged work waits for a report to be begun.
  CHECK(book.settle(worker, 1));
  CHECK(book.queue_ms({"a"}, at_ms(500)) == 12);
}

TEST_CASE("a report erases the charges it knew of and no other", "[policies][load_book]") {
  load_book book = book_with_worker();
  for (const double ms : {10.0, 20.0, 40.0}) REQUIRE(book.charge(worker, ms));
  CHECK(book.take(worker, {.queued_ms = 0, .charges_heard = 0}, at_ms(0)));
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 70);
  CHECK(book.take(worker, {.queued_ms = 25, .charges_heard = 2}, at_ms(0)));
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 65);
  CHECK_FALSE(book.settle(worker, 2));  // In the report, or gone from it.
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 65);
  CHECK_FALSE(book.take(worker, {.queued_ms = 500, .charges_heard = 1}, at_ms(1)));
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 65);
}

TEST_CASE("a second settlement of a charge changes nothing", "[policies][load_book]") {
  load_book book = book_with_worker();
  REQUIRE(book.charge(worker, 10) == 1);
  REQUIRE(book.charge(worker, 10) == 2);
  CHECK(book.settle(worker, 1));
  CHECK_FALSE(book.settle(worker, 1));
  CHECK_FALSE(book.settle(worker, 77));
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 10);
}

TEST_CASE("a restarted worker is idle, and its former life is not heard", "[policies][load_book]") {
  load_book book = book_with_worker();
  REQUIRE(book.charge(worker, 10));
  REQUIRE(book.take(worker, {.queued_ms = 5, .cost = {.token_ms = 9}}, at_ms(0)));
  REQUIRE(book.meet(worker));
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 15);
  REQUIRE(book.meet(restarted));
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 0);
  CHECK(book.cost({"a"}).token_ms == cost_coefficients{}.token_ms);
  CHECK_FALSE(book.charge(worker, 1).has_value());
  CHECK_FALSE(book.take(worker, {.queued_ms = 5}, at_ms(0)));
  CHECK_FALSE(book.settle(worker, 1));
  CHECK(book.charge(restarted, 3) == 1);
  book.forget({"a"});
  CHECK(book.queue_ms({"a"}, at_ms(0)) == 0);
  CHECK_FALSE(book.charge(restarted, 1).has_value());
}

TEST_CASE("a report that is no measurement changes nothing", "[policies][load_book]") {
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const load_report& report :
       {load_report{.queued_ms = nan}, load_report{.queued_ms = -1},
        load_report{.queued_ms = infinity}, load_report{.charges_heard = 1},
        load_report{.cost = {.token_ms = nan}}, load_report{.cost = {.pair_ms = -1}}}) {
    load_book book = book_with_worker();
    REQUIRE(book.take(worker, {.queued_ms = 7, .cost = {.token_ms = 2}}, at_ms(0)));
    CHECK_FALSE(book.take(worker, report, at_ms(0)));
    CHECK(book.queue_ms({"a"}, at_ms(0)) == 7);
    CHECK(book.cost({"a"}).token_ms == 2);
  }
}

TEST_CASE("workers and charges have bounds", "[policies][load_book]") {
  load_book book({.workers_max = 1, .charges_max = 2});
  REQUIRE(book.meet(worker));
  CHECK_FALSE(book.meet({.node = {"b"}, .life = {1}}));
  CHECK(book.charge(worker, 1));
  CHECK(book.charge(worker, 1));
  CHECK_FALSE(book.charge(worker, 1).has_value());
  CHECK(book.settle(worker, 1));
  CHECK(book.charge(worker, 1) == 3);
}

namespace {

// What one worker was told, as the test keeps it.
struct told_work {
  std::map<std::uint64_t, double> open;
  double reported_ms = 0;
  std::uint64_t heard = 0;
  std::uint64_t last = 0;
};

bool balanced(const load_book& book, const told_work& told) {
  double queue = told.reported_ms;
  for (const auto& [number, ms] : told.open) queue += ms;
  return book.queue_ms({"a"}, at_ms(0)) == queue && book.charges_open({"a"}) == told.open.size();
}

}  // namespace

TEST_CASE("after any order of charges, ends and reports the queue is what is open and reported",
          "[policies][load_book]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  load_book book = book_with_worker();
  told_work told;
  int late = 0;
  for (int round = 0; round < 20'000; ++round) {
    const unsigned what = below(random, 10);
    const std::uint64_t number = told.last - std::min<std::uint64_t>(told.last, below(random, 9));
    if (what < 5) {
      const double ms = below(random, 50);  // Whole, so that sums are exact.
      told.last = book.charge(worker, ms).value();
      told.open.emplace(told.last, ms);
    } else if (what < 8) {
      REQUIRE(book.settle(worker, number) == (told.open.erase(number) > 0));
    } else {
      const double queued_ms = below(random, 100);
      const bool fresh = number >= told.heard;
      if (!fresh) ++late;
      REQUIRE(book.take(worker, {.queued_ms = queued_ms, .charges_heard = number}, at_ms(0)) ==
              fresh);
      if (fresh) {
        told.heard = number;
        told.reported_ms = queued_ms;
        told.open.erase(told.open.begin(), told.open.upper_bound(number));
      }
    }
    REQUIRE(balanced(book, told));
  }
  CHECK(late > 100);
}

TEST_CASE("a charge lost or counted twice is found by the same comparison",
          "[policies][load_book]") {
  load_book book = book_with_worker();
  told_work told{.open = {{1, 10}, {2, 20}}, .last = 2};
  REQUIRE(book.charge(worker, 10));
  REQUIRE(book.charge(worker, 20));
  REQUIRE(balanced(book, told));
  SECTION("lost") { REQUIRE(book.settle(worker, 2)); }
  SECTION("twice") { REQUIRE(book.charge(worker, 20)); }
  SECTION("erased by a report that did not know of it") {
    REQUIRE(book.take(worker, {.queued_ms = 0, .charges_heard = 2}, at_ms(0)));
  }
  CHECK_FALSE(balanced(book, told));
}

}  // namespace weft
