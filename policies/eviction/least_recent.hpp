// Which cached entries go when room is wanted: those used longest ago.
//
// A pure decision over values. Pinned and held entries never go. Entries that give nothing of what
// is still missing stay, so that a want of pages does not cost a state that has none.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/eviction/cache_units.hpp"

namespace weft {

struct eviction_candidate {
  std::uint64_t id = 0;
  cache_units units = {};
  std::uint64_t last_use = 0;  // A count that grows with every use; not a time.
  bool pinned = false;
  std::int64_t holders = 0;  // Requests that use it now.
};

// Ids to evict, least recent first, that together free `wanted`. Nullopt when all that may go is
// not enough: then nothing should go.
std::optional<std::vector<std::uint64_t>> choose_victims(std::vector<eviction_candidate> known,
                                                         const cache_units& wanted);

}  // namespace weft
