// What a choice of victims sees of one cached entry.
#pragma once

#include <cstdint>

#include "policies/eviction/cache_units.hpp"
#include "policies/eviction/reuse.hpp"

namespace weft {

struct eviction_candidate {
  std::uint64_t id = 0;
  cache_units units = {};
  std::uint64_t last_use = 0;  // A count that grows with every use; not a time.
  bool pinned = false;
  std::int64_t holders = 0;  // Requests that use it now.

  // What it is worth; read where victims are chosen by value.
  reuse uses = {};
  double recompute_ms = 0;  // To make it again. Requires: finite, not negative.
  std::int64_t bytes = 0;   // Of all its units.
};

}  // namespace weft
