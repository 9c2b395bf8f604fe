// A checkpoint's tensor as a matrix of doubles.
#pragma once

#include "gpu/model/model_weights.hpp"
#include "gpu/reference/matrix.hpp"

namespace weft::gpu::reference {

// [rows, ...] becomes [rows, product of the rest]; a vector becomes one row. Exact.
matrix widen(const tensor_view& tensor);

// All rows of all blocks.
matrix widen(const stacked_view& stack);

}  // namespace weft::gpu::reference
