// What a cached entry takes from the pools of one engine.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weft {

struct cache_units {
  std::int64_t pages = 0;
  std::int64_t state_slots = 0;
  std::int64_t transition_slots = 0;

  friend bool operator==(const cache_units&, const cache_units&) = default;
  cache_units& operator+=(const cache_units& other) {
    pages += other.pages;
    state_slots += other.state_slots;
    transition_slots += other.transition_slots;
    return *this;
  }
  bool none() const { return pages == 0 && state_slots == 0 && transition_slots == 0; }
};

// What `wanted` lacks when `have` is there; never negative.
constexpr cache_units missing(const cache_units& wanted, const cache_units& have) {
  const auto lack = [](std::int64_t want, std::int64_t is) {
    return std::max<std::int64_t>(want - is, 0);
  };
  return {.pages = lack(wanted.pages, have.pages),
          .state_slots = lack(wanted.state_slots, have.state_slots),
          .transition_slots = lack(wanted.transition_slots, have.transition_slots)};
}

// Bytes of one unit of each pool.
struct unit_bytes {
  std::int64_t page = 0;
  std::int64_t state_slot = 0;
  std::int64_t transition_slot = 0;
};

constexpr std::int64_t bytes_of(const cache_units& units, const unit_bytes& each) {
  return units.pages * each.page + units.state_slots * each.state_slot +
         units.transition_slots * each.transition_slot;
}

}  // namespace weft
