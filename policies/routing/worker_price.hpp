// What it takes to serve a request at one combine worker, and the best plan for it there.
//
//   first token = max(own queue + what it makes itself,
//                     each scatter worker's queue + what that makes, each flight's remainder)
//               + bytes to move / bandwidth
//               + what runs in context
//
// A pure decision. An entry is, in this order: local (costs nothing); warm at a worker of the same
// numerics id (its bytes, or made anew here where that is quicker than moving it); being made (the
// rest of its making, and its bytes unless it is made here); cold. Cold entries are spread by the
// rule of the facts, here included. Transfers really overlap with work; the sum errs to the slow
// side by the same terms for every worker, and choices hang on differences.
#pragma once

#include "policies/routing/route_facts.hpp"
#include "policies/routing/route_plan.hpp"

namespace weft {

// Requires: `combine` is an index of facts.workers; names of workers are unique; all numbers are
// finite and not negative.
route_plan price_at(const route_facts& facts, std::size_t combine);

}  // namespace weft
