#include "policies/routing/worker_price.hpp"

#include <catch2/catch.hpp>

#include "tests/policies/route_check.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

// One millisecond a token, a thousand bytes a millisecond: figures can be read off.
constexpr cost_coefficients plain{.token_ms = 1, .pair_ms = 0};

route_worker worker(const std::string& name, double queue_ms = 0) {
  return {.name = {name},
          .combine = true,
          .scatter = true,
          .numerics_id = "n",
          .queue_ms = queue_ms,
          .cost = plain};
}

route_entry entry(std::int64_t tokens, const std::vector<std::string>& holders = {},
                  std::int64_t bytes = 10'000) {
  route_entry made{.work = work_of(tokens), .bytes = bytes};
  for (const std::string& holder : holders) made.holders.push_back({holder});
  return made;
}

route_facts facts_of(std::vector<route_worker> workers, std::vector<route_entry> entries) {
  return {.workers = std::move(workers),
          .entries = std::move(entries),
          .context = work_of(5),
          .bytes_per_ms = 1'000};
}

using sources = std::vector<entry_source>;
constexpr auto local = source_kind::local;
constexpr auto make = source_kind::make;
constexpr auto pull = source_kind::pull;
constexpr auto scatter = source_kind::scatter;
constexpr auto flight = source_kind::flight;

}  // namespace

TEST_CASE("an entry found here costs nothing", "[policies][worker_price]") {
  const auto plan = price_at(facts_of({worker("a", 7), worker("b")}, {entry(90, {"b", "a"})}), 0);
  CHECK(plan.sources == sources{{local, "a"}});
  CHECK(plan.first_token_ms == 7 + 5);
  CHECK(plan.charges == std::vector<worker_charge>{{"a", 5}});
}

TEST_CASE("an entry warm elsewhere costs its bytes, unless it is made sooner",
          "[policies][worker_price]") {
  const auto pulled = price_at(facts_of({worker("a", 7), worker("b")}, {entry(90, {"b"})}), 0);
  CHECK(pulled.sources == sources{{pull, "b"}});
  CHECK(pulled.first_token_ms == 7 + 10 + 5);
  CHECK(pulled.charges == std::vector<worker_charge>{{"a", 5}});
  const auto made = price_at(facts_of({worker("a", 7), worker("b")}, {entry(9, {"b"})}), 0);
  CHECK(made.sources == sources{{make, "a"}});
  CHECK(made.first_token_ms == 7 + 9 + 5);
  CHECK(made.charges == std::vector<worker_charge>{{"a", 9 + 5}});
}

TEST_CASE("pulls are spread over holders, and those that drain are asked last",
          "[policies][worker_price]") {
  route_facts facts = facts_of({worker("a"), worker("b"), worker("c")},
                               {entry(90, {"c", "b"}), entry(90, {"b", "c"}), entry(90, {"b"})});
  CHECK(price_at(facts, 0).sources == sources{{pull, "b"}, {pull, "c"}, {pull, "b"}});
  facts.workers[1].draining = true;
  CHECK(price_at(facts, 0).sources == sources{{pull, "c"}, {pull, "c"}, {pull, "b"}});
}

TEST_CASE("an entry being made costs the rest of its making, and its bytes from elsewhere",
          "[policies][worker_price]") {
  route_facts facts = facts_of({worker("a", 7), worker("b")}, {entry(90)});
  facts.entries[0].flight = {.maker = {"b"}, .remaining_ms = 40};
  CHECK(price_at(facts, 0).sources == sources{{flight, "b"}});
  CHECK(price_at(facts, 0).first_token_ms == 40 + 10 + 5);
  CHECK(price_at(facts, 1).sources == sources{{flight, "b"}});
  CHECK(price_at(facts, 1).first_token_ms == 40 + 5);
  CHECK(price_at(facts, 1).charges == std::vector<worker_charge>{{"b", 5}});
}

TEST_CASE("cold entries are spread by predicted cost, the combine worker taking a share",
          "[policies][worker_price]") {
  const auto entries = {entry(50), entry(200), entry(60), entry(100)};
  const auto plan = price_at(facts_of({worker("a"), worker("b", 20)}, entries), 0);
  CHECK(plan.sources == sources{{make, "a"}, {make, "a"}, {scatter, "b"}, {scatter, "b"}});
  CHECK(plan.first_token_ms == 250 + 2 * 10 + 5);
  CHECK(plan.charges == std::vector<worker_charge>{{"a", 255}, {"b", 160}});
}

TEST_CASE("a slow or loaded scatter worker gets what it is done with in time, or nothing",
          "[policies][worker_price]") {
  route_facts facts = facts_of({worker("a"), worker("b")}, {entry(100), entry(40)});
  facts.workers[1].cost.token_ms = 4;
  CHECK(price_at(facts, 0).sources == sources{{make, "a"}, {make, "a"}});
  facts.workers[1].cost.token_ms = 1;
  CHECK(price_at(facts, 0).sources == sources{{make, "a"}, {scatter, "b"}});
  facts.workers[1].queue_ms = 95;
  CHECK(price_at(facts, 0).sources == sources{{make, "a"}, {make, "a"}});
}

TEST_CASE("a spread that moves more than it saves is not made", "[policies][worker_price]") {
  // The second entry is done after 35 ms at b and after 40 here, but its bytes take 30 of those.
  route_facts facts =
      facts_of({worker("a"), worker("b")}, {entry(20, {}, 30'000), entry(20, {}, 30'000)});
  facts.workers[1].cost.token_ms = 0.25;
  CHECK(price_at(facts, 0).sources == sources(2, {make, "a"}));
  CHECK(price_at(facts, 0).first_token_ms == 40 + 5);
}

TEST_CASE("round robin takes scatter workers in turn and the combine worker only alone",
          "[policies][worker_price]") {
  route_facts facts =
      facts_of({worker("c"), worker("b"), worker("a")}, {entry(100), entry(1), entry(1)});
  facts.rule = scatter_rule::round_robin;
  CHECK(price_at(facts, 0).sources == sources{{scatter, "a"}, {scatter, "b"}, {scatter, "a"}});
  facts.turn = 3;
  CHECK(price_at(facts, 0).sources == sources{{scatter, "b"}, {scatter, "a"}, {scatter, "b"}});
  facts.workers.resize(1);
  CHECK(price_at(facts, 0).sources == sources(3, {make, "c"}));
}

TEST_CASE("who drains, is overloaded, has other bits or does not scatter makes nothing",
          "[policies][worker_price]") {
  const route_facts sound = facts_of({worker("a"), worker("b")}, {entry(100), entry(100)});
  REQUIRE(price_at(sound, 0).sources[1] == entry_source{scatter, "b"});
  route_facts facts = sound;
  SECTION("draining") { facts.workers[1].draining = true; }
  SECTION("overloaded") {
    facts.workers[1].queue_ms = 50;
    facts.queue_ms_max = 49;
  }
  SECTION("other bits") { facts.workers[1].numerics_id = "other"; }
  SECTION("no scatter worker") { facts.workers[1].scatter = false; }
  CHECK(price_at(facts, 0).sources == sources(2, {make, "a"}));
}

TEST_CASE("a worker of another numerics id, or one that is gone, is no source",
          "[policies][worker_price]") {
  route_facts facts = facts_of({worker("a"), worker("b")}, {entry(90, {"b", "gone"}), entry(90)});
  facts.entries[1].flight = {.maker = {"b"}, .remaining_ms = 1};
  facts.workers[1].numerics_id = "other";
  CHECK(price_at(facts, 0).sources == sources(2, {make, "a"}));
  facts.entries[1].flight->maker = {"gone"};
  CHECK(price_at(facts, 0).sources == sources(2, {make, "a"}));
}

TEST_CASE("prices follow from their sources, and sharing never costs more than working alone",
          "[policies][worker_price]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  int shared = 0;
  for (int round = 0; round < 5'000; ++round) {
    route_facts facts = random_facts(random);
    for (std::size_t index = 0; index < facts.workers.size(); ++index) {
      route_worker& here = facts.workers[index];
      if (!here.combine || here.draining || here.queue_ms > facts.queue_ms_max) continue;
      const route_plan plan = price_at(facts, index);
      REQUIRE(faults_of(facts, plan).empty());
      if (facts.rule != scatter_rule::longest_first) continue;
      route_facts alone = facts;
      for (route_worker& each : alone.workers) each.scatter = false;
      REQUIRE(plan.first_token_ms <= price_at(alone, index).first_token_ms);
      if (plan.charges.size() > 1) ++shared;
    }
  }
  CHECK(shared > 100);
}

}  // namespace weft
