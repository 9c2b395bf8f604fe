// Which cached entries go when room is wanted: those used longest ago.
//
// A pure decision over values. Pinned and held entries never go. Entries that give nothing of what
// is still missing stay, so that a want of pages does not cost a state that has none.
#pragma once

#include <optional>
#include <vector>

#include "policies/eviction/eviction_candidate.hpp"

namespace weft {

// Ids to evict, least recent first, that together free `wanted`; of equal age the lower id goes
// first. Nullopt when all that may go is not enough: then nothing should go.
std::optional<std::vector<std::uint64_t>> choose_least_recent(std::vector<eviction_candidate> known,
                                                              const cache_units& wanted);

}  // namespace weft
