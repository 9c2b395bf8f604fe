#include "gpu/door/cache_split.hpp"

#include <algorithm>

namespace weft::gpu {
namespace {

// Share of the slot memory that goes to running and cached states; the rest holds transitions. A
// running request needs a state and no transition.
constexpr std::int64_t state_parts = 3;
constexpr std::int64_t transition_parts = 2;
constexpr std::int64_t slot_parts = state_parts + transition_parts;

// A model without layers of the one kind has units of no size.
constexpr std::int64_t unit_bytes_least = 16384;
constexpr std::int64_t units_most = 1'000'000'000;

std::int64_t units_of(std::int64_t bytes, std::int64_t each) {
  return std::clamp<std::int64_t>(bytes / std::max(each, unit_bytes_least), 0, units_most);
}

// Of slot memory, so that `parts` of its fifths hold so many units: rounded up.
std::int64_t slot_bytes_for(std::int64_t units, std::int64_t each, std::int64_t parts) {
  const std::int64_t bytes = units * std::max(each, unit_bytes_least);
  return (bytes + parts - 1) / parts * slot_parts;
}

}  // namespace

cache_units units_in(const pool_bytes& memory, const unit_bytes& each) {
  const std::int64_t part = memory.slots / slot_parts;
  return {.pages = units_of(memory.pages, each.page),
          .state_slots = units_of(part * state_parts, each.state_slot),
          .transition_slots = units_of(part * transition_parts, each.transition_slot)};
}

pool_bytes least_bytes(const cache_units& units, const unit_bytes& each) {
  return {.pages = units.pages * std::max(each.page, unit_bytes_least),
          .slots = std::max(
              slot_bytes_for(units.state_slots, each.state_slot, state_parts),
              slot_bytes_for(units.transition_slots, each.transition_slot, transition_parts))};
}

}  // namespace weft::gpu
