// Jobs for unequal workers, longest first, each to whoever is done with it soonest.
//
// A pure decision: `longest_first` for workers that take unequal time for the same job, as machines
// of unequal speed do, or one that has its result at home while others must send it. On workers
// that cost the same it makes the same assignment.
#pragma once

#include <vector>

#include "policies/assignment/job_assignment.hpp"

namespace weft {

// `cost_ms[job][worker]`. A job counts as long as it takes where it takes least. `load_ms`: what
// each worker has to do already. Equal jobs go in their order, equal ends to the first worker.
// Requires: at least one worker; a cost for each; all numbers finite and not negative.
job_assignment assign_earliest_finish(const std::vector<std::vector<double>>& cost_ms,
                                      std::vector<double> load_ms);

}  // namespace weft
