#include "gpu/host/matrix_product.hpp"

#include <algorithm>

#include "gpu/host/weights.hpp"
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

matrix_product::matrix_product(const stacked_view& weight, const kernel_table& kernels)
    : depth_(weight.blocks.at(0).dims.back()), kernels_(&kernels) {
  copies_.reserve(weight.blocks.size());
  for (const tensor_view& block : weight.blocks) {
    WEFT_ASSERT(block.dims.back() == depth_);
    const std::byte* bytes = block.bytes.data();
    element_type type = block.type;
    if (type == element_type::float16) {
      copies_.push_back(floats_of(block));
      bytes = reinterpret_cast<const std::byte*>(copies_.back().data());
      type = element_type::float32;
    }
    const std::int64_t rows = block.elements() / depth_;
    for (std::int64_t first = 0; first < rows; first += strip_cols)
      strips_.push_back({.weight = bytes + first * depth_ * bytes_of(type),
                         .type = type,
                         .first_col = cols_ + first,
                         .cols = std::min(strip_cols, rows - first)});
    cols_ += rows;
  }
}

std::int64_t matrix_product::parts_of(std::int64_t rows) const {
  return (rows + part_rows - 1) / part_rows * static_cast<std::int64_t>(strips_.size());
}

std::int64_t matrix_product::part_count(std::int64_t prefill_rows, std::int64_t decode_rows) const {
  return parts_of(prefill_rows) + parts_of(decode_rows);
}

// Parts of the same rows stand side by side, so that those rows stay in a thread's cache.
product_args matrix_product::part_of_class(std::int64_t part, const float* x, float* y,
                                           std::int64_t rows) const {
  const auto strips = static_cast<std::int64_t>(strips_.size());
  const strip& at = strips_[static_cast<std::size_t>(part % strips)];
  const std::int64_t first = part / strips * part_rows;
  return {.x = x + first * depth_,
          .x_row = depth_,
          .weight = at.weight,
          .type = at.type,
          .y = y + first * cols_ + at.first_col,
          .y_row = cols_,
          .rows = std::min(part_rows, rows - first),
          .depth = depth_,
          .cols = at.cols};
}

void matrix_product::run_part(std::int64_t part, const float* x, float* y,
                              std::int64_t prefill_rows, std::int64_t decode_rows) const {
  const std::int64_t prefill_parts = parts_of(prefill_rows);
  if (part < prefill_parts)
    kernels_->product_rows(part_of_class(part, x, y, prefill_rows));
  else
    kernels_->dot_rows(part_of_class(part - prefill_parts, x + prefill_rows * depth_,
                                     y + prefill_rows * cols_, decode_rows));
}

void matrix_product::run(const float* x, float* y, std::int64_t prefill_rows,
                         std::int64_t decode_rows, thread_pool& pool) const {
  pool.run(part_count(prefill_rows, decode_rows),
           [&](std::int64_t part, int) { run_part(part, x, y, prefill_rows, decode_rows); });
}

}  // namespace weft::gpu
