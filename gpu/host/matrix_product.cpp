#include "gpu/host/matrix_product.hpp"

#include <algorithm>
#include <cstring>

#include <dnnl.h>
#include <omp.h>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {
namespace {

// Columns of a panel. 512 keep oneDNN at its full rate with 64 rows (37 of 40 GFLOP/s a core, AVX2)
// and still cut a hidden layer into enough parts for all threads.
constexpr std::int64_t panel_cols_max = 512;
// Columns that one thread takes at a time in the decode class.
constexpr std::int64_t decode_cols = 64;

// A deterministic sequence of floats in [-1, 1) for the tile test.
class test_values {
 public:
  float next() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<float>(static_cast<std::int32_t>(state_ >> 32)) * 0x1p-31F;
  }

 private:
  std::uint64_t state_ = 1;
};

}  // namespace

matrix_product::matrix_product(std::vector<float> weight, std::int64_t cols, std::int64_t depth,
                               const kernel_table& kernels)
    : weight_(std::move(weight)), cols_(cols), depth_(depth), kernels_(&kernels) {
  WEFT_ASSERT(static_cast<std::int64_t>(weight_.size()) == cols * depth);
  panel_cols_ = std::min(cols, panel_cols_max);
  for (const std::int64_t rows : {tile_rows_max, std::int64_t{16}})
    if (tile_holds(rows)) {
      tile_rows_ = rows;
      return;
    }
}

std::int64_t matrix_product::panel_end(std::int64_t first_col) const {
  return std::min(cols_, first_col + panel_cols_);
}

void matrix_product::run_tile(const float* x, float* y, std::int64_t rows,
                              std::int64_t first_col) const {
  dnnl_sgemm('N', 'T', rows, panel_end(first_col) - first_col, depth_, 1.0F, x, depth_,
             weight_.data() + first_col * depth_, depth_, 0.0F, y + first_col, cols_);
}

// Two tiles: one with the same row everywhere, one with that row at a single place among others,
// for the first, a middle and the last place. All must agree in every bit, for every panel.
bool matrix_product::tile_holds(std::int64_t rows) const {
  omp_set_num_threads(1);
  test_values values;
  std::vector<float> row(static_cast<std::size_t>(depth_));
  for (float& value : row) value = values.next();
  std::vector<float> x(static_cast<std::size_t>(rows * depth_));
  std::vector<float> y(static_cast<std::size_t>(rows * cols_));
  const auto run_all = [&] {
    for (std::int64_t col = 0; col < cols_; col = panel_end(col))
      run_tile(x.data(), y.data(), rows, col);
  };
  const auto row_bytes = static_cast<std::size_t>(cols_) * sizeof(float);
  for (std::int64_t i = 0; i < rows; ++i) std::copy(row.begin(), row.end(), x.begin() + i * depth_);
  run_all();
  const std::vector<float> expected(y.begin(), y.begin() + cols_);
  for (std::int64_t i = 1; i < rows; ++i)
    if (std::memcmp(expected.data(), y.data() + i * cols_, row_bytes) != 0) return false;
  for (const std::int64_t place : {std::int64_t{0}, rows / 2, rows - 1}) {
    for (float& value : x) value = values.next();
    std::copy(row.begin(), row.end(), x.begin() + place * depth_);
    run_all();
    if (std::memcmp(expected.data(), y.data() + place * cols_, row_bytes) != 0) return false;
  }
  return true;
}

// Tiles take the prefill class, where a tile holds.
std::int64_t matrix_product::tiled_rows(std::int64_t prefill_rows) const {
  return tile_rows_ > 1 ? prefill_rows : 0;
}

std::int64_t matrix_product::tile_parts(std::int64_t prefill_rows) const {
  const std::int64_t tiles = (tiled_rows(prefill_rows) + tile_rows_ - 1) / tile_rows_;
  const std::int64_t panels = (cols_ + panel_cols_ - 1) / panel_cols_;
  return tiles * panels;
}

std::int64_t matrix_product::part_count(std::int64_t prefill_rows, std::int64_t decode_rows) const {
  const bool dotted = prefill_rows + decode_rows > tiled_rows(prefill_rows);
  return tile_parts(prefill_rows) + (dotted ? (cols_ + decode_cols - 1) / decode_cols : 0);
}

void matrix_product::run_tile_part(std::int64_t part, const float* x, float* y,
                                   std::int64_t tiled) const {
  const std::int64_t panels = (cols_ + panel_cols_ - 1) / panel_cols_;
  const std::int64_t first_row = part / panels * tile_rows_;
  const std::int64_t first_col = part % panels * panel_cols_;
  const std::int64_t rows = std::min(tile_rows_, tiled - first_row);
  if (rows == tile_rows_) {
    run_tile(x + first_row * depth_, y + first_row * cols_, tile_rows_, first_col);
    return;
  }
  // The last tile runs whole, into memory of its own: its surplus rows belong to nobody.
  thread_local std::vector<float> spill_x;
  thread_local std::vector<float> spill_y;
  spill_x.assign(static_cast<std::size_t>(tile_rows_ * depth_), 0.0F);
  spill_y.resize(static_cast<std::size_t>(tile_rows_ * cols_));
  std::copy_n(x + first_row * depth_, rows * depth_, spill_x.begin());
  run_tile(spill_x.data(), spill_y.data(), tile_rows_, first_col);
  const std::int64_t width = panel_end(first_col) - first_col;
  for (std::int64_t i = 0; i < rows; ++i)
    std::copy_n(spill_y.begin() + i * cols_ + first_col, width,
                y + (first_row + i) * cols_ + first_col);
}

void matrix_product::run_part(std::int64_t part, const float* x, float* y,
                              std::int64_t prefill_rows, std::int64_t decode_rows) const {
  const std::int64_t tiled = tiled_rows(prefill_rows);
  const std::int64_t tiles = tile_parts(prefill_rows);
  if (part < tiles) {
    run_tile_part(part, x, y, tiled);
    return;
  }
  const std::int64_t first_col = (part - tiles) * decode_cols;
  kernels_->dot_rows({.x = x + tiled * depth_,
                      .x_row = depth_,
                      .weight = weight_.data() + first_col * depth_,
                      .y = y + tiled * cols_ + first_col,
                      .y_row = cols_,
                      .rows = prefill_rows + decode_rows - tiled,
                      .depth = depth_,
                      .cols = std::min(decode_cols, cols_ - first_col)});
}

void matrix_product::run(const float* x, float* y, std::int64_t prefill_rows,
                         std::int64_t decode_rows, thread_pool& pool) const {
  pool.run(part_count(prefill_rows, decode_rows),
           [&](std::int64_t part, int) { run_part(part, x, y, prefill_rows, decode_rows); });
}

}  // namespace weft::gpu
