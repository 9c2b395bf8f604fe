// Jobs for workers, longest processing time first: the longest job goes to whoever is done soonest.
//
// A pure decision. Its makespan is at most 4/3 - 1/(3m) of the best possible on m idle workers, and
// 3/2 - 1/(2m) on workers that have loads already; finding the best is not worth the time that a
// request would wait for it.
#pragma once

#include <vector>

#include "policies/assignment/job_assignment.hpp"

namespace weft {

// `load_ms`: the work that each worker has already. Equal jobs go in their order, equal workers
// from the first on. Requires: at least one worker; all numbers finite and not negative.
job_assignment assign_longest_first(const std::vector<double>& cost_ms,
                                    std::vector<double> load_ms);

}  // namespace weft
