// Rows of a checkpoint's matrix as they lie in its file: what a product multiplies by.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

// [rows, depth], rows contiguous, at any alignment. Borrowed: lives as long as the model's storage.
struct weight_block {
  const std::byte* bytes = nullptr;
  element_type type = element_type::float32;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
};

// All rows of a tensor of two dimensions or more; the last is the depth.
weight_block block_of(const tensor_view& tensor);

// `rows` of them, from `first_row` on.
weight_block block_of(const tensor_view& tensor, std::int64_t first_row, std::int64_t rows);

// Its numbers as float32, exactly.
std::vector<float> floats_of(const weight_block& block);

}  // namespace weft::gpu
