#include "gpu/host/matrix_product.hpp"

#include <algorithm>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {
namespace {

// Columns of a strip: enough that a part is worth claiming, few enough that the smallest projection
// of a small model still feeds all threads.
constexpr std::int64_t strip_cols = 64;
// Rows of a part: turning a panel over costs about as much as multiplying four rows by it, and 256
// rows of x stay in the second-level cache while a strip's panels pass.
constexpr std::int64_t part_rows = 256;

}  // namespace

matrix_product::matrix_product(const std::vector<weight_block>& blocks, const kernel_table& kernels)
    : depth_(blocks.at(0).depth), kernels_(&kernels) {
  copies_.reserve(blocks.size());
  for (const weight_block& block : blocks) {
    WEFT_ASSERT(block.depth == depth_);
    const std::byte* rows = block.bytes;
    element_type type = block.type;
    if (type == element_type::float16) {
      copies_.push_back(floats_of(block));
      rows = reinterpret_cast<const std::byte*>(copies_.back().data());
      type = element_type::float32;
    }
    const std::int64_t row_bytes = depth_ * bytes_of(type);
    for (std::int64_t first = 0; first < block.rows; first += strip_cols)
      strips_.push_back({.weight = rows + first * row_bytes,
                         .type = type,
                         .first_col = cols_ + first,
                         .cols = std::min(strip_cols, block.rows - first)});
    cols_ += block.rows;
  }
}

std::int64_t matrix_product::parts(std::int64_t rows) const {
  return (rows + part_rows - 1) / part_rows * static_cast<std::int64_t>(strips_.size());
}

// Parts of the same rows stand side by side, so that those rows stay in a thread's cache.
void matrix_product::run_part(std::int64_t part, const float* x, float* y, std::int64_t rows,
                              bool decode_class) const {
  const auto strips = static_cast<std::int64_t>(strips_.size());
  const strip& at = strips_[static_cast<std::size_t>(part % strips)];
  const std::int64_t first = part / strips * part_rows;
  const product_args args{.x = x + first * depth_,
                          .x_row = depth_,
                          .weight = at.weight,
                          .type = at.type,
                          .y = y + first * cols_ + at.first_col,
                          .y_row = cols_,
                          .rows = std::min(part_rows, rows - first),
                          .depth = depth_,
                          .cols = at.cols};
  if (decode_class)
    kernels_->dot_rows(args);
  else
    kernels_->product_rows(args);
}

void matrix_product::run(const float* x, float* y, std::int64_t prefill_rows,
                         std::int64_t decode_rows, thread_pool& pool) const {
  const std::int64_t prefill_parts = parts(prefill_rows);
  pool.run(prefill_parts + parts(decode_rows), [&](std::int64_t part, int) {
    if (part < prefill_parts)
      run_part(part, x, y, prefill_rows, false);
    else
      run_part(part - prefill_parts, x + prefill_rows * depth_, y + prefill_rows * cols_,
               decode_rows, true);
  });
}

}  // namespace weft::gpu
