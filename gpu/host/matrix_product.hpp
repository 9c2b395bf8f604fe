// y[rows, cols] = x[rows, depth] * weight[cols, depth]^T, with bits that depend on the row alone.
//
// Prefill rows go through oneDNN in tiles of one fixed number of rows, each tile by one thread;
// columns are cut into panels so that few rows still feed all threads, the depth never. When a
// product is made its tile is tested: the same row at every place of the tile, among other rows,
// must give the same bits. 64 rows are tried, then 16, then our own kernel does all rows. Decode
// rows always go through our own kernel, which reads the weight once for all of them.
//
// Threads: `run` spreads over the pool it is given; products keep no state, so any number may run.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/thread_pool.hpp"

namespace weft::gpu {

class matrix_product {
 public:
  // An empty product; only good for being assigned to.
  matrix_product() = default;

  // Takes `weight` [cols, depth], row-major.
  matrix_product(std::vector<float> weight, std::int64_t cols, std::int64_t depth,
                 const kernel_table& kernels);

  std::int64_t cols() const { return cols_; }
  std::int64_t depth() const { return depth_; }
  // Rows of a tile; 1 where oneDNN failed the test and our own kernel stands in.
  std::int64_t tile_rows() const { return tile_rows_; }
  std::span<const float> weight() const { return weight_; }

  static constexpr std::int64_t tile_rows_max = 64;

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
  bool tile_holds(std::int64_t rows) const;
  // Rows that go through tiles; the others are our own kernel's.
  std::int64_t tiled_rows(std::int64_t prefill_rows) const;
  std::int64_t tile_parts(std::int64_t prefill_rows) const;
  void run_tile_part(std::int64_t part, const float* x, float* y, std::int64_t rows) const;
  void run_tile(const float* x, float* y, std::int64_t rows, std::int64_t first_col) const;
  std::int64_t panel_end(std::int64_t first_col) const;

  std::vector<float> weight_;
  std::int64_t cols_ = 0;
  std::int64_t depth_ = 0;
  std::int64_t panel_cols_ = 1;
  std::int64_t tile_rows_ = 1;
  const kernel_table* kernels_ = nullptr;
};

}  // namespace weft::gpu
