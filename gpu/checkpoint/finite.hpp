// The search for weights that are not numbers, before they can poison an answer.
#pragma once

#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// Reads every weight once, with `threads` threads (0: as many as there are cores, at most 8), and
// names the first tensor and element that is NaN or infinite (`rejected`). The answer does not
// depend on the number of threads. Bound: memory.
status check_finite(const model_weights& weights, int threads = 0);

}  // namespace weft::gpu
