// y[rows, cols] = x[rows, depth] * weight[cols, depth]^T, with bits that depend on the row alone.
//
// The weight stays where it lies, in a mapped checkpoint: blocks of bfloat16 or float32 rows, one
// below the other, each giving the next columns of y. Threads share out columns and rows, never the
// depth, and a kernel's chain of multiply-adds does not hang on what is computed beside it
// (kernels/weight_product.hpp), so a row has the same bits in any batch, on any number of threads.
//
// Threads: `run` spreads over the pool it is given; products keep no state, so any number may run.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/thread_pool.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

class matrix_product {
 public:
  // An empty product; only good for being assigned to.
  matrix_product() = default;

  // Requires: at least one block; the last dimension is the depth, the same in all. Where a block's
  // numbers have a form that no kernel reads (float16), the product keeps float32 copies of them;
  // all others are borrowed and must outlive it.
  matrix_product(const stacked_view& weight, const kernel_table& kernels);

  matrix_product(matrix_product&&) = default;
  matrix_product& operator=(matrix_product&&) = default;
  matrix_product(const matrix_product&) = delete;
  matrix_product& operator=(const matrix_product&) = delete;
  ~matrix_product() = default;

  std::int64_t cols() const { return cols_; }
  std::int64_t depth() const { return depth_; }

  // The first `prefill_rows` rows of x are of the prefill class, the next `decode_rows` of the
  // decode class. x: rows of `depth`, y: rows of `cols`.
  void run(const float* x, float* y, std::int64_t prefill_rows, std::int64_t decode_rows,
           thread_pool& pool) const;

  // The same in parts, for a caller that spreads several products over one job of a pool: every
  // part in [0, part_count) once, in any order, on any threads.
  std::int64_t part_count(std::int64_t prefill_rows, std::int64_t decode_rows) const;
  void run_part(std::int64_t part, const float* x, float* y, std::int64_t prefill_rows,
                std::int64_t decode_rows) const;

 private:
  // Consecutive columns that one part computes; they lie in one block.
  struct strip {
    const std::byte* weight = nullptr;
    element_type type = element_type::float32;
    std::int64_t first_col = 0;
    std::int64_t cols = 0;
  };

  std::int64_t parts_of(std::int64_t rows) const;  // Of one class.
  // `x` and `y` begin with the class's rows.
  product_args part_of_class(std::int64_t part, const float* x, float* y, std::int64_t rows) const;

  std::vector<std::vector<float>> copies_;  // Of blocks that no kernel reads.
  std::vector<strip> strips_;
  std::int64_t cols_ = 0;
  std::int64_t depth_ = 0;
  const kernel_table* kernels_ = nullptr;
};

}  // namespace weft::gpu
