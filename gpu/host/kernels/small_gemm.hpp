// C[rows, cols] = scale * start[rows, cols] + A[rows, depth] B[depth, cols] for operands that sit
// in cache.
//
// Every element of C is one chain of fused multiply-adds over the depth, in order, starting from
// scale * start or 0: its bits do not depend on which rows or columns are computed beside it. Only
// for kernels/kernels.cpp (see simd.hpp).
#pragma once

#include "gpu/host/kernels/simd.hpp"

namespace weft::gpu::WEFT_ISA {

// Strides in floats. A is read one element at a time, so it may be transposed; rows of B and C are
// contiguous.
struct gemm_args {
  const float* a = nullptr;
  std::int64_t a_row = 0;
  std::int64_t a_depth = 1;
  const float* b = nullptr;
  std::int64_t b_row = 0;
  float* c = nullptr;
  std::int64_t c_row = 0;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t cols = 0;
  const float* start = nullptr;  // Null: 0. May be C itself.
  std::int64_t start_row = 0;
  float scale = 1;
};

// Not inlined: among its callers' code the compiler keeps some of the sums in memory.
template <int Rows, int Vectors>
[[gnu::noinline]] void gemm_block(const gemm_args& m, std::int64_t row, std::int64_t col) {
  vec acc[Rows][Vectors];
  float* c = m.c + row * m.c_row + col;
  if (m.start != nullptr) {
    const float* start = m.start + row * m.start_row + col;
    const vec scale = splat(m.scale);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j)
        acc[i][j] = mul(scale, load(start + i * m.start_row + j * vector_floats));
  } else {
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) acc[i][j] = splat(0.0F);
  }
  const float* a = m.a + row * m.a_row;
  const float* b = m.b + col;
  for (std::int64_t k = 0; k < m.depth; ++k) {
    vec right[Vectors];
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) right[j] = load(b + j * vector_floats);
#pragma GCC unroll 16
    for (int i = 0; i < Rows; ++i) {
      const vec left = splat(a[i * m.a_row]);
#pragma GCC unroll 4
      for (int j = 0; j < Vectors; ++j) acc[i][j] = fma(left, right[j], acc[i][j]);
    }
    a += m.a_depth;
    b += m.b_row;
  }
#pragma GCC unroll 16
  for (int i = 0; i < Rows; ++i)
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) store(c + i * m.c_row + j * vector_floats, acc[i][j]);
}

// All rows of a band of `Vectors` vectors of columns.
template <int Vectors>
inline void gemm_band(const gemm_args& m, std::int64_t col) {
  std::int64_t row = 0;
  if constexpr (Vectors <= 2) {
    for (; row + row_block <= m.rows; row += row_block) gemm_block<row_block, Vectors>(m, row, col);
    for (; row + 4 <= m.rows; row += 4) gemm_block<4, Vectors>(m, row, col);
  }
  for (; row + 2 <= m.rows; row += 2) gemm_block<2, Vectors>(m, row, col);
  for (; row < m.rows; ++row) gemm_block<1, Vectors>(m, row, col);
}

inline void gemm_single(const gemm_args& m, std::int64_t row, std::int64_t col) {
  float* c = m.c + row * m.c_row + col;
  float acc = m.start != nullptr ? m.scale * m.start[row * m.start_row + col] : 0.0F;
  const float* a = m.a + row * m.a_row;
  const float* b = m.b + col;
  for (std::int64_t k = 0; k < m.depth; ++k) acc = fma_one(a[k * m.a_depth], b[k * m.b_row], acc);
  *c = acc;
}

inline void gemm(const gemm_args& m) {
  std::int64_t col = 0;
  // One or two rows alone have too few chains to hide the latency of the multiply-add.
  if (m.rows <= 2)
    for (; col + 4 * vector_floats <= m.cols; col += 4 * vector_floats) gemm_band<4>(m, col);
  for (; col + 2 * vector_floats <= m.cols; col += 2 * vector_floats) gemm_band<2>(m, col);
  for (; col + vector_floats <= m.cols; col += vector_floats) gemm_band<1>(m, col);
  for (; col < m.cols; ++col)
    for (std::int64_t row = 0; row < m.rows; ++row) gemm_single(m, row, col);
}

}  // namespace weft::gpu::WEFT_ISA
