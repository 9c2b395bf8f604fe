// The ways to choose victims, by name, and the call that takes either.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "policies/eviction/value_per_byte.hpp"

namespace weft {

enum class eviction_policy : std::uint8_t {
  least_recent,    // "lru": what was used longest ago
  value_per_byte,  // "value": what saves the least work per byte
};

inline constexpr std::array<eviction_policy, 2> all_eviction_policies = {
    eviction_policy::least_recent, eviction_policy::value_per_byte};

// As users type it.
std::string_view name_of(eviction_policy policy);

// Ids to evict so that `wanted` becomes free, or nullopt: all that may go is not enough, and
// nothing should go. `at` is read by value_per_byte only.
std::optional<std::vector<std::uint64_t>> choose_victims(eviction_policy policy,
                                                         std::vector<eviction_candidate> known,
                                                         const cache_units& wanted,
                                                         const reuse_clock& at);

}  // namespace weft
