#include "policies/eviction/least_recent.hpp"

#include <catch2/catch.hpp>

namespace weft {
namespace {

using ids = std::vector<std::uint64_t>;

eviction_candidate entry_of(std::uint64_t id, std::uint64_t last_use, cache_units units) {
  return {.id = id, .units = units, .last_use = last_use};
}

const cache_units document{.pages = 2, .state_slots = 1, .transition_slots = 1};
const cache_units lead{.pages = 1, .state_slots = 1};

}  // namespace

TEST_CASE("the entry used longest ago goes first", "[policies][least_recent]") {
  const auto victims = choose_least_recent(
      {entry_of(1, 30, document), entry_of(2, 10, document), entry_of(3, 20, document)},
      {.pages = 3});
  REQUIRE(victims.has_value());
  CHECK(*victims == ids{2, 3});
}

TEST_CASE("no more goes than is wanted", "[policies][least_recent]") {
  const auto victims =
      choose_least_recent({entry_of(1, 1, document), entry_of(2, 2, document)}, {});
  REQUIRE(victims.has_value());
  CHECK(victims->empty());
}

TEST_CASE("pinned and held entries never go", "[policies][least_recent]") {
  auto pinned = entry_of(1, 1, document);
  pinned.pinned = true;
  auto held = entry_of(2, 2, document);
  held.holders = 1;
  const auto victims = choose_least_recent({pinned, held, entry_of(3, 3, document)}, {.pages = 1});
  REQUIRE(victims.has_value());
  CHECK(*victims == ids{3});
}

TEST_CASE("when not enough may go nothing goes", "[policies][least_recent]") {
  CHECK_FALSE(choose_least_recent({entry_of(1, 1, document)}, {.pages = 3}).has_value());
}

TEST_CASE("an entry that gives nothing of what is missing stays", "[policies][least_recent]") {
  const auto victims = choose_least_recent({entry_of(1, 1, lead), entry_of(2, 2, document)},
                                           {.transition_slots = 1});
  REQUIRE(victims.has_value());
  CHECK(*victims == ids{2});
}

TEST_CASE("entries of equal age go in the order of their ids", "[policies][least_recent]") {
  const auto victims =
      choose_least_recent({entry_of(9, 1, lead), entry_of(4, 1, lead)}, {.state_slots = 1});
  REQUIRE(victims.has_value());
  CHECK(*victims == ids{4});
}

}  // namespace weft
