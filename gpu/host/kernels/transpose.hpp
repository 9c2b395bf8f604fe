// A square of floats turned over, in registers: rows[i][j] becomes rows[j][i].
// Only for kernels/kernels.cpp (see simd.hpp).
#pragma once

#include "gpu/host/kernels/simd.hpp"

namespace weft::gpu::WEFT_ISA {

#if defined(WEFT_ISA_AVX512)

// Squares of 4 x 4 inside the 128-bit lanes first, then two rounds that move whole lanes.
inline void transpose(vec (&rows)[16]) {
  vec pairs[16];
#pragma GCC unroll 8
  for (int i = 0; i < 8; ++i) {
    pairs[2 * i] = _mm512_unpacklo_ps(rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = _mm512_unpackhi_ps(rows[2 * i], rows[2 * i + 1]);
  }
  vec quads[16];  // quads[4 g + j]: column 4 l + j of rows 4 g .. 4 g + 3, in lane l.
#pragma GCC unroll 4
  for (int g = 0; g < 4; ++g) {
    quads[4 * g] = _mm512_shuffle_ps(pairs[4 * g], pairs[4 * g + 2], 0x44);
    quads[4 * g + 1] = _mm512_shuffle_ps(pairs[4 * g], pairs[4 * g + 2], 0xee);
    quads[4 * g + 2] = _mm512_shuffle_ps(pairs[4 * g + 1], pairs[4 * g + 3], 0x44);
    quads[4 * g + 3] = _mm512_shuffle_ps(pairs[4 * g + 1], pairs[4 * g + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    const vec even_low = _mm512_shuffle_f32x4(quads[j], quads[4 + j], 0x88);
    const vec odd_low = _mm512_shuffle_f32x4(quads[j], quads[4 + j], 0xdd);
    const vec even_high = _mm512_shuffle_f32x4(quads[8 + j], quads[12 + j], 0x88);
    const vec odd_high = _mm512_shuffle_f32x4(quads[8 + j], quads[12 + j], 0xdd);
    rows[j] = _mm512_shuffle_f32x4(even_low, even_high, 0x88);
    rows[4 + j] = _mm512_shuffle_f32x4(odd_low, odd_high, 0x88);
    rows[8 + j] = _mm512_shuffle_f32x4(even_low, even_high, 0xdd);
    rows[12 + j] = _mm512_shuffle_f32x4(odd_low, odd_high, 0xdd);
  }
}

#elif defined(WEFT_ISA_AVX2)

inline void transpose(vec (&rows)[8]) {
  vec pairs[8];
#pragma GCC unroll 4
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm256_unpacklo_ps(rows[2 * i], rows[2 * i + 1]);
    pairs[2 * i + 1] = _mm256_unpackhi_ps(rows[2 * i], rows[2 * i + 1]);
  }
  vec quads[8];
#pragma GCC unroll 2
  for (int g = 0; g < 2; ++g) {
    quads[4 * g] = _mm256_shuffle_ps(pairs[4 * g], pairs[4 * g + 2], 0x44);
    quads[4 * g + 1] = _mm256_shuffle_ps(pairs[4 * g], pairs[4 * g + 2], 0xee);
    quads[4 * g + 2] = _mm256_shuffle_ps(pairs[4 * g + 1], pairs[4 * g + 3], 0x44);
    quads[4 * g + 3] = _mm256_shuffle_ps(pairs[4 * g + 1], pairs[4 * g + 3], 0xee);
  }
#pragma GCC unroll 4
  for (int j = 0; j < 4; ++j) {
    rows[j] = _mm256_permute2f128_ps(quads[j], quads[4 + j], 0x20);
    rows[4 + j] = _mm256_permute2f128_ps(quads[j], quads[4 + j], 0x31);
  }
}

#else

inline void transpose(vec (&rows)[4]) { _MM_TRANSPOSE4_PS(rows[0], rows[1], rows[2], rows[3]); }

#endif

// to[j * to_row + i] = from[i * from_row + j] for `rows` rows of `cols` floats.
inline void transpose(const float* from, std::int64_t from_row, std::int64_t rows,
                      std::int64_t cols, float* to, std::int64_t to_row) {
  constexpr std::int64_t square = vector_floats;
  std::int64_t row = 0;
  for (; row + square <= rows; row += square) {
    std::int64_t col = 0;
    for (; col + square <= cols; col += square) {
      vec block[vector_floats];
#pragma GCC unroll 16
      for (int i = 0; i < vector_floats; ++i) block[i] = load(from + (row + i) * from_row + col);
      transpose(block);
#pragma GCC unroll 16
      for (int i = 0; i < vector_floats; ++i) store(to + (col + i) * to_row + row, block[i]);
    }
    for (; col < cols; ++col)
      for (std::int64_t i = row; i < row + square; ++i)
        to[col * to_row + i] = from[i * from_row + col];
  }
  for (; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col)
      to[col * to_row + row] = from[row * from_row + col];
}

}  // namespace weft::gpu::WEFT_ISA
