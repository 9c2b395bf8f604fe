// The accounts of an engine's pools, checked with tolerance zero.
//
// Each unit is free or has one owner, and what the cache is said to hold is what its resident
// entries hold. Breaches come back as sentences that name the pool and the numbers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "gpu/door/engine.hpp"
#include "policies/eviction/cache_units.hpp"

namespace weft::actors {

// Holds at any time between steps: free + cached + pinned + in_flight + quarantined == total, none
// of them negative, and cached + pinned is what `resident` entries hold.
std::vector<std::string> check_accounts(const gpu::engine_counts& counts,
                                        const cache_units& resident);

// Holds besides when nothing is live: nothing is in flight, so each unit is free, quarantined, or
// some resident entry's.
std::vector<std::string> check_quiet(const gpu::engine_counts& counts, const cache_units& resident);

// Each unit that an entry lists is its own: it holds the lease, and no other entry has that unit.
std::vector<std::string> check_entries(const std::vector<std::shared_ptr<gpu::entry>>& alive);

}  // namespace weft::actors
