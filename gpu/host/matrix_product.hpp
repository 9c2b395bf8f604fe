// y[rows, cols] = x[rows, depth] * weight[cols, depth]^T, with bits that depend on the row alone.
//
// The weight is a stack of bfloat16 or float32 rows of a mapped checkpoint. It stays where it lies,
// or is packed once, in the same numbers, into the order in which kernels read it: twice the memory
// for decode steps that run at the speed of memory and prefill that turns nothing over. Either way
// an element is one chain of multiply-adds over the depth (kernels/weight_product.hpp); threads
// share out columns and rows, never the depth. So a row has the same bits in any batch, packed or
// not.
//
// Threads: `run` spreads over the pool it is given; products keep no state, so any number may run.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/host/float_buffer.hpp"
#include "gpu/host/kernel_table.hpp"
#include "gpu/host/thread_pool.hpp"
#include "gpu/host/weight_memory.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

enum class weight_form : std::uint8_t { in_place, packed };

class matrix_product {
 public:
  // Columns of a strip: a whole number of panels of every instruction set, and few enough that the
  // parts of a decode step are shared out evenly.
  static constexpr std::int64_t strip_cols = 32;
  // Rows of a part: turning or widening a panel costs about as much as multiplying a few rows by
  // it, and 256 rows of x stay in the second-level cache while the strips pass.
  static constexpr std::int64_t part_rows = 256;

  // An empty product; only good for being assigned to.
  matrix_product() = default;

  // Requires: at least one block; the last dimension is the depth, the same in all. In place,
  // blocks are borrowed and must outlive the product, but for numbers that no kernel reads
  // (float16): of those it keeps float32 copies.
  matrix_product(const stacked_view& weight, weight_form form, const kernel_table& kernels);

  matrix_product(matrix_product&&) = default;
  matrix_product& operator=(matrix_product&&) = default;
  matrix_product(const matrix_product&) = delete;
  matrix_product& operator=(const matrix_product&) = delete;
  ~matrix_product() = default;

  std::int64_t cols() const { return cols_; }
  std::int64_t depth() const { return depth_; }

  // x: rows of `depth`, y: rows of `cols`.
  void run(const float* x, float* y, std::int64_t rows, thread_pool& pool) const;

  // Of y only the columns [first_col, first_col + cols). Requires: they are whole blocks.
  void run_columns(std::int64_t first_col, std::int64_t cols, const float* x, float* y,
                   std::int64_t rows, thread_pool& pool) const;

  // The same in parts, for a caller that spreads several products over one job of a pool: every
  // part in [0, part_count) once, in any order, on any threads. Parts of the same part_rows rows
  // stand side by side, strip after strip.
  std::int64_t part_count(std::int64_t rows) const;
  void run_part(std::int64_t part, const float* x, float* y, std::int64_t rows) const;

  // A part into a tile of its own, [part_rows, strip_cols] with rows `tile_row` apart.
  void run_tile(std::int64_t part, const float* x, float* tile, std::int64_t tile_row,
                std::int64_t rows) const;

  // What `run` reads of each tensor in the stack.
  void show(const weight_visitor& visit) const;

 private:
  // Consecutive columns that one part computes; they lie in one block.
  struct strip {
    const std::byte* weight = nullptr;
    element_type type = element_type::float32;
    std::int64_t first_col = 0;
    std::int64_t cols = 0;
  };

  // One tensor of the stack: its strips, and the memory in which they lie one after the other.
  struct tensor_strips {
    std::string name;
    weight_place place = weight_place::mapped;
    std::size_t first_strip = 0;
    std::size_t strips = 0;
    std::size_t bytes = 0;
  };

  void pack();
  // `y`: where the part's first element goes.
  void run_strip(const strip& at, std::int64_t first_row, const float* x, float* y,
                 std::int64_t y_row, std::int64_t rows) const;
  float* place(const strip& at, std::int64_t first_row, float* y) const {
    return y + first_row * cols_ + at.first_col;
  }

  std::vector<std::vector<float>> copies_;  // Of blocks that no kernel reads.
  std::vector<std::byte, line_allocator<std::byte>> packed_;
  std::vector<strip> strips_;
  std::vector<tensor_strips> tensors_;
  std::int64_t cols_ = 0;
  std::int64_t depth_ = 0;
  const kernel_table* kernels_ = nullptr;
};

}  // namespace weft::gpu
