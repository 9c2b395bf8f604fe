#include "policies/admission/admission.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/test_seed.hpp"

namespace weft {
namespace {

cache_units minus(cache_units left, const cache_units& right) {
  left.pages -= right.pages;
  left.state_slots -= right.state_slots;
  left.transition_slots -= right.transition_slots;
  return left;
}

bool negative(const cache_units& units) {
  return units.pages < 0 || units.state_slots < 0 || units.transition_slots < 0;
}

}  // namespace

TEST_CASE("a request starts when its need and all promises fit", "[policies][admission]") {
  admission_facts facts{.most = {9, 3, 2}, .needed = {6, 2, 1}, .total = {10, 5, 4}};
  facts.free = {4, 2, 1};
  facts.evictable = {4, 1, 1};
  facts.promised = {2, 1, 1};
  CHECK(admit(facts) == admission{});
  facts.promised.pages = 3;
  CHECK(admit(facts) == admission{.verdict = admission_verdict::wait, .lacking = {.pages = 1}});
}

TEST_CASE("what is missing is named per resource and by how much", "[policies][admission]") {
  struct row {
    cache_units needed;
    admission expected;
  };
  using enum admission_verdict;
  const std::vector<row> table = {{{5, 3, 2}, {admit, {}}},
                                  {{6, 3, 2}, {wait, {.pages = 1}}},
                                  {{5, 5, 2}, {wait, {.state_slots = 2}}},
                                  {{5, 3, 5}, {wait, {.transition_slots = 3}}},
                                  {{10, 6, 6}, {wait, {5, 3, 4}}},
                                  {{11, 6, 6}, {never, {.pages = 1}}},
                                  {{0, 0, 9}, {never, {.transition_slots = 3}}},
                                  {{19, 8, 9}, {never, {9, 2, 3}}}};
  for (const row& each : table) {
    CAPTURE(each.needed.pages, each.needed.state_slots, each.needed.transition_slots);
    CHECK(weft::admit({.most = each.needed,
                       .needed = each.needed,
                       .total = {12, 7, 6},
                       .kept = {2, 1, 0},
                       .free = {3, 3, 1},
                       .evictable = {2, 0, 1}}) == each.expected);
  }
}

TEST_CASE("what others have pinned can never be had", "[policies][admission]") {
  admission_facts facts{.most = {.pages = 8}, .needed = {.pages = 1}, .total = {.pages = 10}};
  facts.free = {.pages = 5};
  facts.kept = {.pages = 2};
  CHECK(admit(facts).verdict == admission_verdict::admit);
  facts.kept = {.pages = 3};
  CHECK(admit(facts) == admission{.verdict = admission_verdict::never, .lacking = {.pages = 1}});
}

TEST_CASE("spare units are free ones that no promise needs", "[policies][admission]") {
  admission_facts facts{.total = {.pages = 10}};
  facts.free = {.pages = 3};
  facts.evictable = {.pages = 4};
  facts.promised = {.pages = 5};
  CHECK(can_spare({.pages = 2}, facts));
  CHECK_FALSE(can_spare({.pages = 3}, facts));
  facts.promised = {};
  CHECK(can_spare({.pages = 3}, facts));
  CHECK_FALSE(can_spare({.pages = 4}, facts));
}

TEST_CASE("admitted requests always get what they were promised and all of them end",
          "[policies][admission]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](std::int64_t bound) {
    return static_cast<std::int64_t>(random() % static_cast<unsigned>(bound));
  };
  struct live {
    cache_units needed;
    cache_units taken = {};
  };
  for (int round = 0; round < 200; ++round) {
    const cache_units total{4 + below(20), 2 + below(8), 1 + below(5)};
    cache_units free = total;
    std::vector<live> running;
    int ended = 0;
    for (int act = 0; act < 200; ++act) {
      cache_units promised;
      for (const live& each : running) promised += minus(each.needed, each.taken);
      REQUIRE(missing(promised, free).none());
      const bool last_acts = act > 150;  // Nobody comes any more: all must end.
      if (!last_acts && random() % 2 == 0) {
        const cache_units needed{below(12), below(5), below(4)};
        const auto answer = admit(
            {.most = needed, .needed = needed, .total = total, .free = free, .promised = promised});
        REQUIRE((answer.verdict == admission_verdict::never) == !missing(needed, total).none());
        REQUIRE((answer.verdict == admission_verdict::admit) == answer.lacking.none());
        if (answer.verdict == admission_verdict::admit) running.push_back({.needed = needed});
        if (running.empty()) REQUIRE(answer.verdict == admission_verdict::never);
      } else if (!running.empty()) {
        live& one = running[random() % running.size()];
        const cache_units left = minus(one.needed, one.taken);
        const cache_units take =
            last_acts ? left
                      : cache_units{below(left.pages + 1), below(left.state_slots + 1),
                                    below(left.transition_slots + 1)};
        free = minus(free, take);
        one.taken += take;
        REQUIRE_FALSE(negative(free));
        if (one.taken != one.needed) continue;
        free += one.needed;
        one = running.back();
        running.pop_back();
        ++ended;
      }
    }
    CHECK(running.empty());
    CHECK(free == total);
    CHECK(ended > 0);
  }
}

}  // namespace weft
