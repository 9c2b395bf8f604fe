#include "policies/eviction/eviction_policy.hpp"

#include <map>
#include <random>
#include <set>

#include <catch2/catch.hpp>

#include "policies/cost/cost_model.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

constexpr std::int64_t slots = 30;
constexpr std::uint64_t half_life = 2 * slots;

// Documents of 100 to 3,200 tokens; the n-th is asked for in proportion to 1 / n.
struct crowd {
  explicit crowd(std::mt19937& random) {
    for (int name = 1; name <= 300; ++name) {
      tokens.push_back(100 << random() % 6);
      shares.push_back(1.0 / name);
    }
  }
  std::vector<std::int64_t> tokens;
  std::vector<double> shares;
};

// Milliseconds of making again what was not there, over 6,000 uses of a cache of so many slots.
double recomputed_ms(eviction_policy policy, const crowd& documents, std::mt19937 random) {
  std::discrete_distribution<std::uint64_t> asks(documents.shares.begin(), documents.shares.end());
  std::map<std::uint64_t, eviction_candidate> cache;
  double spent_ms = 0;
  for (std::uint64_t now = 1; now <= 6000; ++now) {
    const std::uint64_t name = asks(random);
    const auto there = cache.find(name);
    if (there == cache.end()) {
      const std::int64_t tokens = documents.tokens[name];
      const double cost_ms = predict_ms({}, work_of(tokens));
      spent_ms += cost_ms;
      if (cache.size() == slots) {
        std::vector<eviction_candidate> known;
        for (const auto& [id, entry] : cache) known.push_back(entry);
        const auto victims =
            choose_victims(policy, known, {.state_slots = 1}, {.now = now, .half_life = half_life});
        for (const std::uint64_t id : victims.value()) cache.erase(id);
      }
      // A state of 120 MiB and 20 KiB a token: the published 35B shapes.
      cache[name] = {.id = name,
                     .units = {.pages = tokens / 64 + 1, .state_slots = 1, .transition_slots = 1},
                     .recompute_ms = cost_ms,
                     .bytes = (120 << 20) + tokens * 20480};
    }
    eviction_candidate& used = cache[name];
    used.last_use = now;
    used.uses = used_again(used.uses, now, half_life);
  }
  return spent_ms;
}

}  // namespace

TEST_CASE("policies have distinct names", "[policies][eviction_policy]") {
  std::set<std::string_view> names;
  for (const eviction_policy each : all_eviction_policies) names.insert(name_of(each));
  CHECK(names == std::set<std::string_view>{"lru", "value"});
}

TEST_CASE("each name chooses its own way", "[policies][eviction_policy]") {
  const eviction_candidate old_and_dear{.id = 1,
                                        .units = {.pages = 1},
                                        .last_use = 1,
                                        .uses = {.weight = 1, .epoch = 0},
                                        .recompute_ms = 100,
                                        .bytes = 1};
  eviction_candidate new_and_cheap = old_and_dear;
  new_and_cheap.id = 2;
  new_and_cheap.last_use = 2;
  new_and_cheap.recompute_ms = 1;
  using ids = std::vector<std::uint64_t>;
  const auto victim = [&](eviction_policy policy) {
    return choose_victims(policy, {old_and_dear, new_and_cheap}, {.pages = 1},
                          {.now = 0, .half_life = 1});
  };
  CHECK(victim(eviction_policy::least_recent) == ids{1});
  CHECK(victim(eviction_policy::value_per_byte) == ids{2});
}

TEST_CASE("for a crowd with favourites the choice by value recomputes less than the other",
          "[policies][eviction_policy]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const crowd documents(random);
  const double by_recency = recomputed_ms(eviction_policy::least_recent, documents, random);
  const double by_value = recomputed_ms(eviction_policy::value_per_byte, documents, random);
  CHECK(by_value < 0.95 * by_recency);
}

}  // namespace weft
