#include "policies/eviction/victims.hpp"

#include <catch2/catch.hpp>

namespace weft {
namespace {

std::vector<std::uint64_t> ids_of(const std::vector<eviction_candidate>& entries) {
  std::vector<std::uint64_t> ids;
  for (const eviction_candidate& entry : entries) ids.push_back(entry.id);
  return ids;
}

}  // namespace

TEST_CASE("what is pinned or in use is out of the choice", "[policies][victims]") {
  const auto left = without_fixed({{.id = 1, .pinned = true}, {.id = 2}, {.id = 3, .holders = 1}});
  CHECK(ids_of(left) == std::vector<std::uint64_t>{2});
}

TEST_CASE("victims are the first that help until enough is free", "[policies][victims]") {
  const std::vector<eviction_candidate> order = {
      {.id = 1, .units = {.state_slots = 1}},
      {.id = 2, .units = {.pages = 2, .state_slots = 1}},
      {.id = 3, .units = {.pages = 1, .state_slots = 1, .transition_slots = 1}},
      {.id = 4, .units = {.pages = 9, .state_slots = 1, .transition_slots = 1}}};
  struct row {
    cache_units wanted;
    std::optional<std::vector<std::uint64_t>> expected;
  };
  using ids = std::vector<std::uint64_t>;
  const std::vector<row> table = {
      {{}, ids{}},
      {{.pages = 3}, ids{2, 3}},
      {{.transition_slots = 1}, ids{3}},
      {{.pages = 2, .transition_slots = 2}, ids{2, 3, 4}},
      {{.pages = 12, .state_slots = 4, .transition_slots = 2}, ids{1, 2, 3, 4}},
      {{.pages = 13}, std::nullopt},
      {{.pages = 1, .state_slots = 5}, std::nullopt}};
  for (const row& each : table) {
    CAPTURE(each.wanted.pages, each.wanted.state_slots, each.wanted.transition_slots);
    const auto victims = take_victims(order, each.wanted);
    REQUIRE(victims.has_value() == each.expected.has_value());
    if (victims) CHECK(ids_of(*victims) == *each.expected);
  }
}

}  // namespace weft
