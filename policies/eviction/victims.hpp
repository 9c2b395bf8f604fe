// The part that every choice of victims shares: taking from an order until enough is free.
//
// Entries that give nothing of what is still missing stay, so that a want of pages does not cost a
// state that has none. Nothing goes unless enough can go.
#pragma once

#include <optional>
#include <vector>

#include "policies/eviction/eviction_candidate.hpp"

namespace weft {

// `known` without what must stay: pinned entries and those in use.
std::vector<eviction_candidate> without_fixed(std::vector<eviction_candidate> known);

// The first of `worst_first` that together free `wanted`, in that order. Nullopt when all of them
// are not enough.
std::optional<std::vector<eviction_candidate>> take_victims(
    const std::vector<eviction_candidate>& worst_first, const cache_units& wanted);

}  // namespace weft
