// Room for a sequence's own keys and values: which overlay page each context run goes to.
//
// A run's key blocks are counted from its first token and lie whole inside a page. So a run of up
// to what is left of the last page shares it, and a longer one starts a fresh page.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/door/sequence.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// Appends room for `runs` (most tokens of each, in order) to `target`, taking pages from `pages`.
// All or nothing: `overloaded` leaves both as they were.
status reserve_overlay(unit_pool& pages, sequence& target, const std::vector<std::int64_t>& runs);

}  // namespace weft::gpu
