#include "policies/routing/plan_request.hpp"

#include <algorithm>

#include <catch2/catch.hpp>

#include "policies/routing/worker_price.hpp"
#include "tests/policies/route_check.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

route_worker worker(const std::string& name, double queue_ms = 0) {
  return {.name = {name},
          .combine = true,
          .numerics_id = "n",
          .queue_ms = queue_ms,
          .cost = {.token_ms = 1, .pair_ms = 0}};
}

route_facts two_workers(double queue_a_ms, double queue_b_ms) {
  return {.workers = {worker("a", queue_a_ms), worker("b", queue_b_ms)},
          .entries = {{.work = work_of(100), .bytes = 30'000, .holders = {{"a"}}}},
          .context = work_of(5),
          .bytes_per_ms = 1'000};
}

const route_plan& planned(const route& made) {
  REQUIRE(std::holds_alternative<route_plan>(made));
  return std::get<route_plan>(made);
}

const route_refusal& refused(const route& made) {
  REQUIRE(std::holds_alternative<route_refusal>(made));
  return std::get<route_refusal>(made);
}

}  // namespace

TEST_CASE("affinity ends where the queue exceeds the least price by more than the saving",
          "[policies][plan_request]") {
  // To have the entry saves moving it: 30 ms.
  CHECK(planned(plan_request(two_workers(0, 0))).combine.text == "a");
  CHECK(planned(plan_request(two_workers(29, 0))).combine.text == "a");
  CHECK(planned(plan_request(two_workers(30, 0))).combine.text == "a");  // At equal price too.
  CHECK(planned(plan_request(two_workers(31, 0))).combine.text == "b");
  CHECK(planned(plan_request(two_workers(531, 500))).combine.text == "b");
  CHECK(planned(plan_request(two_workers(529, 500))).combine.text == "a");
}

TEST_CASE("equal prices go to the lower name, however workers are listed",
          "[policies][plan_request]") {
  route_facts facts = two_workers(3, 3);
  facts.entries.clear();
  CHECK(planned(plan_request(facts)).combine.text == "a");
  std::swap(facts.workers[0], facts.workers[1]);
  CHECK(planned(plan_request(facts)).combine.text == "a");
}

TEST_CASE("a faster worker is worth its queue", "[policies][plan_request]") {
  route_facts facts = two_workers(0, 40);
  facts.entries[0].holders.clear();
  facts.workers[1].cost.token_ms = 0.5;
  CHECK(planned(plan_request(facts)).combine.text == "b");
  facts.workers[1].queue_ms = 60;
  CHECK(planned(plan_request(facts)).combine.text == "a");
}

TEST_CASE("a draining worker serves nothing, and what it has is pulled",
          "[policies][plan_request]") {
  route_facts facts = two_workers(0, 500);
  facts.workers[0].draining = true;
  const route made = plan_request(facts);
  CHECK(planned(made).combine.text == "b");
  CHECK(planned(made).sources == std::vector<entry_source>{{source_kind::pull, "a"}});
}

TEST_CASE("with all queues too long the answer says when the shortest will do",
          "[policies][plan_request]") {
  route_facts facts = two_workers(900, 700.5);
  facts.queue_ms_max = 500;
  const route made = plan_request(facts);
  CHECK(refused(made).why.kind == failure_kind::overloaded);
  CHECK(refused(made).retry_after_ms == 201);
  CHECK(refused(made).why.message.find("500 ms") != std::string::npos);
  facts.workers[1].queue_ms = 700.5 - refused(made).retry_after_ms;
  CHECK(planned(plan_request(facts)).combine.text == "b");
}

TEST_CASE("a queue of just the most is not too long", "[policies][plan_request]") {
  route_facts facts = two_workers(900, 500);
  facts.queue_ms_max = 500;
  CHECK(planned(plan_request(facts)).combine.text == "b");
  facts.workers[1].queue_ms = 500.001;
  CHECK(refused(plan_request(facts)).retry_after_ms == 1);  // Never at once.
}

TEST_CASE("without a combine worker that takes requests the answer is unavailable",
          "[policies][plan_request]") {
  route_facts facts = two_workers(0, 0);
  facts.workers[0].draining = true;
  facts.workers[1].combine = false;
  CHECK(refused(plan_request(facts)).why.kind == failure_kind::unavailable);
  facts.workers.clear();
  CHECK(refused(plan_request(facts)).why.kind == failure_kind::unavailable);
}

TEST_CASE("a plan is sound, the cheapest, and the same in any order of workers",
          "[policies][plan_request]") {
  const unsigned seed = test_seed(2);
  CAPTURE(seed);
  std::mt19937 random(seed);
  int plans = 0;
  int overloads = 0;
  for (int round = 0; round < 5'000; ++round) {
    route_facts facts = random_facts(random);
    const route made = plan_request(facts);
    bool any = false;
    bool open = false;
    for (std::size_t index = 0; index < facts.workers.size(); ++index) {
      const route_worker& each = facts.workers[index];
      if (!each.combine || each.draining) continue;
      any = true;
      if (each.queue_ms > facts.queue_ms_max) continue;
      open = true;
      REQUIRE(planned(made).first_token_ms <= price_at(facts, index).first_token_ms);
    }
    REQUIRE(std::holds_alternative<route_plan>(made) == open);
    if (open) {
      ++plans;
      REQUIRE(faults_of(facts, planned(made)).empty());
      std::shuffle(facts.workers.begin(), facts.workers.end(), random);
      for (route_entry& entry : facts.entries)
        std::shuffle(entry.holders.begin(), entry.holders.end(), random);
      REQUIRE(planned(plan_request(facts)) == planned(made));
    } else {
      REQUIRE(refused(made).why.kind ==
              (any ? failure_kind::overloaded : failure_kind::unavailable));
      if (any) ++overloads;
    }
  }
  CHECK(plans > 1'000);
  CHECK(overloads > 100);
}

TEST_CASE("every damage to a plan is found by the same check", "[policies][plan_request]") {
  route_facts facts = two_workers(0, 0);
  facts.workers.push_back(worker("c", 40));
  facts.workers[2].scatter = true;
  facts.workers.push_back(worker("other", 1));
  facts.workers[3].numerics_id = "m";
  facts.workers[3].scatter = true;
  facts.entries.push_back({.work = work_of(400), .bytes = 1'000});
  facts.entries.push_back({.work = work_of(300), .bytes = 1'000});
  route_plan plan = planned(plan_request(facts));
  REQUIRE(faults_of(facts, plan).empty());
  REQUIRE(plan.charges.size() == 2);
  SECTION("an entry left out") { plan.sources.pop_back(); }
  SECTION("an entry taken for local") { plan.sources[1] = {source_kind::local, plan.combine}; }
  SECTION("an entry pulled from one that has none") { plan.sources[1] = {source_kind::pull, "b"}; }
  SECTION("other bits") { plan.sources[2] = {source_kind::scatter, "other"}; }
  SECTION("a flight that is none") { plan.sources[1] = {source_kind::flight, "c"}; }
  SECTION("a charge lost") { plan.charges.pop_back(); }
  SECTION("a charge too small") { plan.charges[1].ms -= 1; }
  SECTION("a charge to another one") { plan.charges[1].worker = {"b"}; }
  SECTION("a prediction too bright") { plan.first_token_ms -= 1; }
  SECTION("nobody to serve it") { plan.combine = {"nobody"}; }
  SECTION("one that drains") {
    facts.workers[plan.combine.text == "a" ? 0 : 1].draining = true;
    plan.combine = facts.workers[plan.combine.text == "a" ? 0 : 1].name;
  }
  CHECK_FALSE(faults_of(facts, plan).empty());
}

}  // namespace weft
