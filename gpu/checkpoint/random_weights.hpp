// Weights for benches that have a configuration and no checkpoint.
#pragma once

#include <cstdint>

#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// bf16 weights of `shape`, a function of (shape, seed) alone whatever the number of threads. Scales
// keep activations near 1 and decays in the range of trained models, so that a bench meets no
// infinities and no subnormal numbers. `overloaded` if the machine's memory cannot hold them.
// Requires: a shape as read_shape gives it.
result<model_weights> random_weights(const model_shape& shape, std::uint64_t seed);

}  // namespace weft::gpu
