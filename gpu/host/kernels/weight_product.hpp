// Products with a checkpoint's weights where they lie: bfloat16 or float32 rows of a mapped file,
// widened on the way into registers. Only for kernels/kernels.cpp (see simd.hpp).
//
// A panel of weight rows is turned over once, into memory that stays in the first two cache levels,
// and used for all rows of x. An element of the result is one chain of multiply-adds over the
// depth: it does not hang on which rows or columns are computed beside it.
#pragma once

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/kernels/small_gemm.hpp"
#include "gpu/host/kernels/transpose.hpp"

namespace weft::gpu::WEFT_ISA {

inline constexpr std::int64_t panel_cols = 2 * vector_floats;
// Depth of a panel: 1,024 x 16 floats are 64 KB, a part of every second-level cache; a deeper chain
// goes on where the last panel stopped.
inline constexpr std::int64_t panel_depth = 1024;

// Rows of weights as they are stored.
struct bfloat16_rows {
  static constexpr std::int64_t bytes = 2;
  static vec load_vector(const char* at) { return widen(at); }
  static float load_one(const char* at) {
    std::uint16_t bits;
    __builtin_memcpy(&bits, at, sizeof(bits));
    const std::uint32_t wide = static_cast<std::uint32_t>(bits) << 16;
    return __builtin_bit_cast(float, wide);
  }
};

struct float32_rows {
  static constexpr std::int64_t bytes = 4;
  static vec load_vector(const char* at) { return load(reinterpret_cast<const float*>(at)); }
  static float load_one(const char* at) {
    float value;
    __builtin_memcpy(&value, at, sizeof(value));
    return value;
  }
};

// panel[k * panel_cols + c] = weight[c, k] for `cols` <= panel_cols rows of the weight and `depth`
// elements of each; columns beyond `cols` are 0.
template <class Rows>
inline void turn_panel(const char* weight, std::int64_t row_bytes, std::int64_t cols,
                       std::int64_t depth, float* panel) {
  constexpr std::int64_t square = vector_floats;
  const std::int64_t whole = depth / square * square;
  for (std::int64_t half = 0; half < panel_cols; half += square) {
    for (std::int64_t k = 0; k < whole; k += square) {
      vec block[vector_floats];
#pragma GCC unroll 16
      for (int c = 0; c < vector_floats; ++c)
        block[c] = half + c < cols
                       ? Rows::load_vector(weight + (half + c) * row_bytes + k * Rows::bytes)
                       : splat(0.0F);
      transpose(block);
#pragma GCC unroll 16
      for (int i = 0; i < vector_floats; ++i) store(panel + (k + i) * panel_cols + half, block[i]);
    }
    for (std::int64_t k = whole; k < depth; ++k)
      for (std::int64_t c = half; c < half + square; ++c)
        panel[k * panel_cols + c] =
            c < cols ? Rows::load_one(weight + c * row_bytes + k * Rows::bytes) : 0.0F;
  }
}

// y (+)= x panel^T where the panel has fewer than panel_cols columns: through a tile of its own.
inline void multiply_narrow(const gemm_args& m, std::int64_t cols) {
  float tile[row_block * panel_cols];
  for (std::int64_t first = 0; first < m.rows; first += row_block) {
    const std::int64_t rows = m.rows - first < row_block ? m.rows - first : row_block;
    float* c = m.c + first * m.c_row;
    if (m.start != nullptr)
      for (std::int64_t i = 0; i < rows; ++i)
        for (std::int64_t j = 0; j < panel_cols; ++j)
          tile[i * panel_cols + j] = j < cols ? c[i * m.c_row + j] : 0.0F;
    gemm_args part = m;
    part.a = m.a + first * m.a_row;
    part.c = tile;
    part.c_row = panel_cols;
    if (m.start != nullptr) part.start = tile;
    part.start_row = panel_cols;
    part.rows = rows;
    gemm_band<2>(part, 0);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < cols; ++j) c[i * m.c_row + j] = tile[i * panel_cols + j];
  }
}

// Columns [col, col + cols) of y, depth [first, first + depth) of the chain, for all rows.
inline void multiply_panel(const product_args& m, const float* panel, std::int64_t first,
                           std::int64_t depth, std::int64_t col, std::int64_t cols) {
  const gemm_args product{.a = m.x + first,
                          .a_row = m.x_row,
                          .b = panel,
                          .b_row = panel_cols,
                          .c = m.y + col,
                          .c_row = m.y_row,
                          .rows = m.rows,
                          .depth = depth,
                          .cols = panel_cols,
                          .start = first > 0 ? m.y + col : nullptr,
                          .start_row = m.y_row};
  if (cols == panel_cols)
    gemm_band<2>(product, 0);
  else
    multiply_narrow(product, cols);
}

template <class Rows>
inline void multiply_panels(const product_args& m) {
  alignas(64) float panel[panel_depth * panel_cols];
  const std::int64_t row_bytes = m.depth * Rows::bytes;
  const char* weight = static_cast<const char*>(m.weight);
  for (std::int64_t first = 0; first < m.depth; first += panel_depth) {
    const std::int64_t depth = m.depth - first < panel_depth ? m.depth - first : panel_depth;
    for (std::int64_t col = 0; col < m.cols; col += panel_cols) {
      const std::int64_t cols = m.cols - col < panel_cols ? m.cols - col : panel_cols;
      turn_panel<Rows>(weight + col * row_bytes + first * Rows::bytes, row_bytes, cols, depth,
                       panel);
      multiply_panel(m, panel, first, depth, col, cols);
    }
  }
}

inline void product_in_place(const product_args& m) {
  if (m.type == element_type::bfloat16)
    multiply_panels<bfloat16_rows>(m);
  else
    multiply_panels<float32_rows>(m);
}

}  // namespace weft::gpu::WEFT_ISA
