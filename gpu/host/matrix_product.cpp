#include "gpu/host/matrix_product.hpp"

#include <algorithm>

#include "gpu/host/weights.hpp"
#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {
matrix_product::matrix_product(const stacked_view& weight, weight_form form,
                               const kernel_table& kernels)
    : depth_(weight.blocks.at(0).dims.back()), kernels_(&kernels) {
  copies_.reserve(weight.blocks.size());
  for (const tensor_view& block : weight.blocks) {
    WEFT_ASSERT(block.dims.back() == depth_);
    const std::byte* bytes = block.bytes.data();
    element_type type = block.type;
    weight_place place = weight_place::mapped;
    if (type == element_type::float16) {
      copies_.push_back(floats_of(block));
      bytes = reinterpret_cast<const std::byte*>(copies_.back().data());
      type = element_type::float32;
      place = weight_place::copied;
    }
    const std::int64_t rows = block.elements() / depth_;
    tensors_.push_back({.name = block.name,
                        .place = place,
                        .first_strip = strips_.size(),
                        .strips = static_cast<std::size_t>((rows + strip_cols - 1) / strip_cols),
                        .bytes = static_cast<std::size_t>(block.elements() * bytes_of(type))});
    for (std::int64_t first = 0; first < rows; first += strip_cols)
      strips_.push_back({.weight = bytes + first * depth_ * bytes_of(type),
                         .type = type,
                         .first_col = cols_ + first,
                         .cols = std::min(strip_cols, rows - first)});
    cols_ += rows;
  }
  if (form == weight_form::packed) pack();
}

void matrix_product::pack() {
  const std::int64_t panel = kernels_->panel_cols;
  const auto bytes_in = [&](const strip& each) {
    return (each.cols + panel - 1) / panel * panel * depth_ * bytes_of(each.type);
  };
  std::int64_t bytes = 0;
  for (const strip& each : strips_) bytes += bytes_in(each);
  packed_.resize(static_cast<std::size_t>(bytes));
  std::byte* out = packed_.data();
  for (tensor_strips& of : tensors_) {
    const std::byte* begin = out;
    for (strip& each : std::span(strips_).subspan(of.first_strip, of.strips)) {
      kernels_->pack_rows({.weight = each.weight,
                           .type = each.type,
                           .packed = out,
                           .depth = depth_,
                           .cols = each.cols});
      each.weight = out;
      out += bytes_in(each);
    }
    of.place = weight_place::packed;
    of.bytes = static_cast<std::size_t>(out - begin);
  }
  copies_.clear();
}

void matrix_product::show(const weight_visitor& visit) const {
  for (const tensor_strips& each : tensors_) {
    const strip& first = strips_[each.first_strip];
    visit({.name = each.name,
           .place = each.place,
           .type = first.type,
           .bytes = {first.weight, each.bytes}});
  }
}

std::int64_t matrix_product::part_count(std::int64_t rows) const {
  return (rows + part_rows - 1) / part_rows * static_cast<std::int64_t>(strips_.size());
}

void matrix_product::run_strip(const strip& at, std::int64_t first_row, const float* x, float* y,
                               std::int64_t y_row, std::int64_t rows) const {
  kernels_->product_rows({.x = x + first_row * depth_,
                          .x_row = depth_,
                          .weight = at.weight,
                          .type = at.type,
                          .packed = !packed_.empty(),
                          .y = y,
                          .y_row = y_row,
                          .rows = std::min(part_rows, rows - first_row),
                          .depth = depth_,
                          .cols = at.cols});
}

// Parts of the same rows stand side by side, so that those rows stay in a thread's cache.
void matrix_product::run_part(std::int64_t part, const float* x, float* y,
                              std::int64_t rows) const {
  const auto strips = static_cast<std::int64_t>(strips_.size());
  const strip& at = strips_[static_cast<std::size_t>(part % strips)];
  const std::int64_t first_row = part / strips * part_rows;
  run_strip(at, first_row, x, place(at, first_row, y), cols_, rows);
}

void matrix_product::run_tile(std::int64_t part, const float* x, float* tile, std::int64_t tile_row,
                              std::int64_t rows) const {
  const auto strips = static_cast<std::int64_t>(strips_.size());
  run_strip(strips_[static_cast<std::size_t>(part % strips)], part / strips * part_rows, x, tile,
            tile_row, rows);
}

void matrix_product::run(const float* x, float* y, std::int64_t rows, thread_pool& pool) const {
  pool.run(part_count(rows), [&](std::int64_t part, int) { run_part(part, x, y, rows); });
}

void matrix_product::run_columns(std::int64_t first_col, std::int64_t cols, const float* x,
                                 float* y, std::int64_t rows, thread_pool& pool) const {
  const auto strip_at = [&](std::int64_t col) {
    const auto found = std::lower_bound(
        strips_.begin(), strips_.end(), col,
        [](const strip& each, std::int64_t value) { return each.first_col < value; });
    WEFT_ASSERT(found == strips_.end() ? col == cols_ : found->first_col == col);
    return found;
  };
  const auto begin = strip_at(first_col);
  const std::int64_t strips = strip_at(first_col + cols) - begin;
  pool.run((rows + part_rows - 1) / part_rows * strips, [&](std::int64_t part, int) {
    const strip& at = *(begin + part % strips);
    const std::int64_t first_row = part / strips * part_rows;
    run_strip(at, first_row, x, place(at, first_row, y), cols_, rows);
  });
}

}  // namespace weft::gpu
