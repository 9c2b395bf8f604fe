// Jobs for workers in turn, whatever they cost: what `longest_first` must beat.
//
// A pure decision. For comparison, and for callers that have no costs to go by.
#pragma once

#include <cstddef>
#include <vector>

#include "policies/assignment/job_assignment.hpp"

namespace weft {

// The first job goes to worker `first`, the next to the one after it. Requires: at least one
// worker; `first` is one of them.
job_assignment assign_round_robin(const std::vector<double>& cost_ms, std::vector<double> load_ms,
                                  std::size_t first = 0);

}  // namespace weft
