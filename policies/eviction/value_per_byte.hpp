// Which cached entries go when room is wanted: those whose bytes save the least work.
//
//   value = milliseconds to make the entry again x reuse / bytes
//
// An entry's state takes the same room whatever its length, while what it saves grows with length,
// and faster than length where attention counts. So at equal use long documents are worth keeping
// over short ones, and what many requests ask for over what one long request passed by. Reuse fades
// (see reuse.hpp): an old favourite leaves once others are used more.
//
// A pure decision over values; equal values give equal victims. Pinned and held entries never go.
// Of equal value the one used longest ago goes first, and of equal age the lower id, so that
// without differences in worth this is `least_recent`.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "policies/eviction/eviction_candidate.hpp"

namespace weft {

struct reuse_clock {
  std::uint64_t now = 0;        // A count of uses.
  std::uint64_t half_life = 1;  // In uses. Requires: positive.
};

double value_per_byte(const eviction_candidate& entry, const reuse_clock& at);

// Ids to evict, least value first, that together free `wanted`. Where a pool's want makes an
// earlier victim needless (one entry of many pages after one of few), the needless one stays: none
// of the victims can be left out. Nullopt when all that may go is not enough: then nothing should
// go.
std::optional<std::vector<std::uint64_t>> choose_least_valued(std::vector<eviction_candidate> known,
                                                              const cache_units& wanted,
                                                              const reuse_clock& at);

}  // namespace weft
