// How memory for the pools becomes units, and how much of it a number of units takes.
//
// One place for both directions, so that whoever is told how much memory would do is told the
// truth. Threads: any; values only.
#pragma once

#include <cstdint>

#include "policies/eviction/cache_units.hpp"

namespace weft::gpu {

// Memory of the pools, as `engine_options` names it.
struct pool_bytes {
  std::int64_t pages = 0;  // page_bytes_max
  std::int64_t slots = 0;  // slot_bytes_max
};

// The units that so much memory holds. `each`: bytes of one of each; a unit of a few bytes or of
// none counts as one of 16 KiB, so that there is a bound.
cache_units units_in(const pool_bytes& memory, const unit_bytes& each);

// The least memory that holds `units`.
pool_bytes least_bytes(const cache_units& units, const unit_bytes& each);

}  // namespace weft::gpu
