#include "gpu/host/weight_block.hpp"

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {

weight_block block_of(const tensor_view& tensor) {
  const std::int64_t depth = tensor.dims.back();
  return block_of(tensor, 0, tensor.elements() / depth);
}

weight_block block_of(const tensor_view& tensor, std::int64_t first_row, std::int64_t rows) {
  const std::int64_t depth = tensor.dims.back();
  WEFT_ASSERT(first_row >= 0 && (first_row + rows) * depth <= tensor.elements());
  return {.bytes = tensor.bytes.data() + first_row * depth * bytes_of(tensor.type),
          .type = tensor.type,
          .rows = rows,
          .depth = depth};
}

std::vector<float> floats_of(const weight_block& block) {
  const std::int64_t elements = block.rows * block.depth;
  const tensor_view view{
      .name = {},
      .type = block.type,
      .dims = {block.rows, block.depth},
      .bytes = {block.bytes, static_cast<std::size_t>(elements * bytes_of(block.type))}};
  std::vector<float> floats(static_cast<std::size_t>(elements));
  to_float32(view, 0, floats);
  return floats;
}

}  // namespace weft::gpu
