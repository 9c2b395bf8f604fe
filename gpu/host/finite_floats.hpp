// The search for NaN and infinity in memory, as fast as it can be read.
#pragma once

#include <cstdint>

namespace weft::gpu {

// True if none of `count` floats is NaN or infinite. On the bits, so that it costs no arithmetic.
bool all_finite(const float* values, std::int64_t count);

}  // namespace weft::gpu
