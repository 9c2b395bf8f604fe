// Products with weights that were packed once, when the model was loaded: panels of panel_cols
// columns, [depth, panel_cols], in the numbers the checkpoint has. Only for kernels/kernels.cpp
// (see simd.hpp).
//
// An element is the same chain of multiply-adds over the depth as in weight_product: packing
// changes no bit. A bfloat16 panel keeps columns c and vector_floats + c in one 32-bit word, so
// that a shift and a mask widen two vectors.
#pragma once

#include "gpu/host/kernels/weight_product.hpp"

namespace weft::gpu::WEFT_ISA {

struct packed_bfloat16 {
  using rows = bfloat16_rows;
  static constexpr std::int64_t row_bytes = panel_cols * 2;
  static void load_row(const char* at, vec& low, vec& high) { widen_pairs(at, low, high); }
  static void store_row(char* at, const float* row) {
    for (int c = 0; c < vector_floats; ++c) {
      const auto low = __builtin_bit_cast(std::uint32_t, row[c]);
      const auto high = __builtin_bit_cast(std::uint32_t, row[vector_floats + c]);
      const std::uint32_t pair = (low >> 16) | (high & 0xffff0000U);
      __builtin_memcpy(at + 4 * c, &pair, 4);
    }
  }
};

struct packed_float32 {
  using rows = float32_rows;
  static constexpr std::int64_t row_bytes = panel_cols * 4;
  static void load_row(const char* at, vec& low, vec& high) {
    low = load(reinterpret_cast<const float*>(at));
    high = load(reinterpret_cast<const float*>(at) + vector_floats);
  }
  static void store_row(char* at, const float* row) { __builtin_memcpy(at, row, row_bytes); }
};

template <class Packed>
inline void pack_panels(const pack_args& m) {
  alignas(64) float panel[panel_depth * panel_cols];
  const std::int64_t row_bytes = m.depth * Packed::rows::bytes;
  const char* weight = static_cast<const char*>(m.weight);
  char* out = static_cast<char*>(m.packed);
  for (std::int64_t col = 0; col < m.cols; col += panel_cols) {
    const std::int64_t cols = m.cols - col < panel_cols ? m.cols - col : panel_cols;
    for (std::int64_t first = 0; first < m.depth; first += panel_depth) {
      const std::int64_t depth = m.depth - first < panel_depth ? m.depth - first : panel_depth;
      turn_panel<typename Packed::rows>(weight + col * row_bytes + first * Packed::rows::bytes,
                                        row_bytes, cols, depth, panel);
      for (std::int64_t k = 0; k < depth; ++k, out += Packed::row_bytes)
        Packed::store_row(out, panel + k * panel_cols);
    }
  }
}

inline void pack_rows(const pack_args& m) {
  if (m.type == element_type::bfloat16)
    pack_panels<packed_bfloat16>(m);
  else
    pack_panels<packed_float32>(m);
}

// Many rows: a panel is widened once and multiplied from the first cache level.
template <class Packed>
inline void multiply_many(const product_args& m, const char* packed, std::int64_t col,
                          std::int64_t cols) {
  alignas(64) float panel[panel_depth * panel_cols];
  for (std::int64_t first = 0; first < m.depth; first += panel_depth) {
    const std::int64_t depth = m.depth - first < panel_depth ? m.depth - first : panel_depth;
    for (std::int64_t k = 0; k < depth; ++k) {
      vec low;
      vec high;
      Packed::load_row(packed + (first + k) * Packed::row_bytes, low, high);
      store(panel + k * panel_cols, low);
      store(panel + k * panel_cols + vector_floats, high);
    }
    multiply_panel(m, panel, first, depth, col, cols);
  }
}

// A few rows: the panel passes through registers once for every `Count` of them.
template <class Packed, int Count>
inline void multiply_few(const product_args& m, const char* packed, std::int64_t row,
                         std::int64_t col, std::int64_t cols) {
  vec acc[Count][2];
#pragma GCC unroll 8
  for (int i = 0; i < Count; ++i) acc[i][0] = acc[i][1] = splat(0.0F);
  const float* x = m.x + row * m.x_row;
  // The next panel comes from memory while this one is multiplied: the processor's own prefetch
  // begins with the panel, and then the first rows wait while the others leave the memory idle.
  const char* next = packed + m.depth * Packed::row_bytes;
  for (std::int64_t k = 0; k < m.depth; ++k) {
    __builtin_prefetch(next + k * Packed::row_bytes);
    vec low;
    vec high;
    Packed::load_row(packed + k * Packed::row_bytes, low, high);
#pragma GCC unroll 8
    for (int i = 0; i < Count; ++i) {
      const vec left = splat(x[i * m.x_row + k]);
      acc[i][0] = fma(left, low, acc[i][0]);
      acc[i][1] = fma(left, high, acc[i][1]);
    }
  }
#pragma GCC unroll 8
  for (int i = 0; i < Count; ++i) {
    float* y = m.y + (row + i) * m.y_row + col;
    if (cols == panel_cols) {
      store(y, acc[i][0]);
      store(y + vector_floats, acc[i][1]);
      continue;
    }
    float tile[panel_cols];
    store(tile, acc[i][0]);
    store(tile + vector_floats, acc[i][1]);
    for (std::int64_t c = 0; c < cols; ++c) y[c] = tile[c];
  }
}

// One or two rows: two panels at once, for chains enough to hide the latency of the multiply-add.
template <class Packed, int Count>
inline void multiply_pair(const product_args& m, const char* packed, std::int64_t row,
                          std::int64_t col) {
  const char* next = packed + m.depth * Packed::row_bytes;
  vec acc[Count][4];
#pragma GCC unroll 2
  for (int i = 0; i < Count; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j) acc[i][j] = splat(0.0F);
  const float* x = m.x + row * m.x_row;
  for (std::int64_t k = 0; k < m.depth; ++k) {
    vec right[4];
    Packed::load_row(packed + k * Packed::row_bytes, right[0], right[1]);
    Packed::load_row(next + k * Packed::row_bytes, right[2], right[3]);
#pragma GCC unroll 2
    for (int i = 0; i < Count; ++i) {
      const vec left = splat(x[i * m.x_row + k]);
#pragma GCC unroll 4
      for (int j = 0; j < 4; ++j) acc[i][j] = fma(left, right[j], acc[i][j]);
    }
  }
#pragma GCC unroll 2
  for (int i = 0; i < Count; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < 4; ++j)
      store(m.y + (row + i) * m.y_row + col + j * vector_floats, acc[i][j]);
}

template <class Packed>
inline void multiply_packed(const product_args& m) {
  // Above so many rows widening a panel into memory pays.
  constexpr std::int64_t few_rows_max = 16;
  constexpr int block = vector_floats == 16 ? 8 : 4;
  const std::int64_t panel_bytes = m.depth * Packed::row_bytes;
  const char* packed = static_cast<const char*>(m.weight);
  for (std::int64_t col = 0; col < m.cols; col += panel_cols, packed += panel_bytes) {
    const std::int64_t cols = m.cols - col < panel_cols ? m.cols - col : panel_cols;
    if (m.rows > few_rows_max) {
      multiply_many<Packed>(m, packed, col, cols);
      continue;
    }
    if (m.rows <= 2 && m.cols - col >= 2 * panel_cols) {
      if (m.rows == 2)
        multiply_pair<Packed, 2>(m, packed, 0, col);
      else
        multiply_pair<Packed, 1>(m, packed, 0, col);
      col += panel_cols;
      packed += panel_bytes;
      continue;
    }
    std::int64_t row = 0;
    for (; row + block <= m.rows; row += block)
      multiply_few<Packed, block>(m, packed, row, col, cols);
    for (; row + 4 <= m.rows; row += 4) multiply_few<Packed, 4>(m, packed, row, col, cols);
    for (; row + 2 <= m.rows; row += 2) multiply_few<Packed, 2>(m, packed, row, col, cols);
    for (; row < m.rows; ++row) multiply_few<Packed, 1>(m, packed, row, col, cols);
  }
}

inline void product_rows(const product_args& m) {
  if (!m.packed)
    product_in_place(m);
  else if (m.type == element_type::bfloat16)
    multiply_packed<packed_bfloat16>(m);
  else
    multiply_packed<packed_float32>(m);
}

}  // namespace weft::gpu::WEFT_ISA
