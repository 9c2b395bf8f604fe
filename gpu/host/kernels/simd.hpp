// One vector of floats of the instruction set this file is compiled for.
//
// Included only by kernels/kernels.cpp, which is compiled once per instruction set (WEFT_ISA names
// the namespace). Nothing of the standard library may be instantiated here: an inline function
// compiled with wide instructions could be the one the linker keeps for the whole program.
#pragma once

#include <cstdint>

#include <immintrin.h>

namespace weft::gpu::WEFT_ISA {

#if defined(WEFT_ISA_AVX512)

inline constexpr int vector_floats = 16;
inline constexpr int row_block = 12;  // 12 x 2 accumulators, 2 of B and 1 of A fit 32 registers.
using vec = __m512;
using vec_bits = __m512i;
inline vec load(const float* from) { return _mm512_loadu_ps(from); }
inline void store(float* to, vec value) { _mm512_storeu_ps(to, value); }
inline vec splat(float value) { return _mm512_set1_ps(value); }
inline vec add(vec a, vec b) { return _mm512_add_ps(a, b); }
inline vec sub(vec a, vec b) { return _mm512_sub_ps(a, b); }
inline vec mul(vec a, vec b) { return _mm512_mul_ps(a, b); }
inline vec div(vec a, vec b) { return _mm512_div_ps(a, b); }
inline vec max(vec a, vec b) { return _mm512_max_ps(a, b); }
inline vec min(vec a, vec b) { return _mm512_min_ps(a, b); }
inline vec fma(vec a, vec b, vec c) { return _mm512_fmadd_ps(a, b, c); }
inline vec_bits to_int(vec a) { return _mm512_cvtps_epi32(a); }
inline vec to_float(vec_bits a) { return _mm512_cvtepi32_ps(a); }
// 2^n for integers n in [-126, 127].
inline vec power_of_two(vec_bits n) {
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_add_epi32(n, _mm512_set1_epi32(127)), 23));
}
// value unless a < b, then 0; NaN in a keeps value.
inline vec keep_unless_below(vec value, vec a, vec b) {
  return _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(a, b, _CMP_NLT_UQ), value);
}
// `vector_floats` bfloat16 numbers, exactly: they are the upper halves of floats.
inline vec widen(const void* from) {
  const __m256i halves = _mm256_loadu_si256(static_cast<const __m256i*>(from));
  return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(halves), 16));
}

// Words of two bfloat16 numbers: the lower ones, and the upper ones.
inline void widen_pairs(const void* from, vec& low, vec& high) {
  const __m512i pairs = _mm512_loadu_si512(from);
  low = _mm512_castsi512_ps(_mm512_slli_epi32(pairs, 16));
  high = _mm512_castsi512_ps(
      _mm512_and_si512(pairs, _mm512_set1_epi32(static_cast<int>(0xffff0000U))));
}

#elif defined(WEFT_ISA_AVX2)

inline constexpr int vector_floats = 8;
inline constexpr int row_block = 6;  // 6 x 2 accumulators, 2 of B and 1 of A fit 16 registers.
using vec = __m256;
using vec_bits = __m256i;
inline vec load(const float* from) { return _mm256_loadu_ps(from); }
inline void store(float* to, vec value) { _mm256_storeu_ps(to, value); }
inline vec splat(float value) { return _mm256_set1_ps(value); }
inline vec add(vec a, vec b) { return _mm256_add_ps(a, b); }
inline vec sub(vec a, vec b) { return _mm256_sub_ps(a, b); }
inline vec mul(vec a, vec b) { return _mm256_mul_ps(a, b); }
inline vec div(vec a, vec b) { return _mm256_div_ps(a, b); }
inline vec max(vec a, vec b) { return _mm256_max_ps(a, b); }
inline vec min(vec a, vec b) { return _mm256_min_ps(a, b); }
inline vec fma(vec a, vec b, vec c) { return _mm256_fmadd_ps(a, b, c); }
inline vec_bits to_int(vec a) { return _mm256_cvtps_epi32(a); }
inline vec to_float(vec_bits a) { return _mm256_cvtepi32_ps(a); }
inline vec power_of_two(vec_bits n) {
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_add_epi32(n, _mm256_set1_epi32(127)), 23));
}
inline vec keep_unless_below(vec value, vec a, vec b) {
  return _mm256_and_ps(value, _mm256_cmp_ps(a, b, _CMP_NLT_UQ));
}
inline vec widen(const void* from) {
  const __m128i halves = _mm_loadu_si128(static_cast<const __m128i*>(from));
  return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(halves), 16));
}

inline void widen_pairs(const void* from, vec& low, vec& high) {
  const __m256i pairs = _mm256_loadu_si256(static_cast<const __m256i*>(from));
  low = _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
  high = _mm256_castsi256_ps(
      _mm256_and_si256(pairs, _mm256_set1_epi32(static_cast<int>(0xffff0000U))));
}

#else  // SSE2: every x86-64 processor has it. No fused multiply-add: two roundings.

inline constexpr int vector_floats = 4;
inline constexpr int row_block = 4;
using vec = __m128;
using vec_bits = __m128i;
inline vec load(const float* from) { return _mm_loadu_ps(from); }
inline void store(float* to, vec value) { _mm_storeu_ps(to, value); }
inline vec splat(float value) { return _mm_set1_ps(value); }
inline vec add(vec a, vec b) { return _mm_add_ps(a, b); }
inline vec sub(vec a, vec b) { return _mm_sub_ps(a, b); }
inline vec mul(vec a, vec b) { return _mm_mul_ps(a, b); }
inline vec div(vec a, vec b) { return _mm_div_ps(a, b); }
inline vec max(vec a, vec b) { return _mm_max_ps(a, b); }
inline vec min(vec a, vec b) { return _mm_min_ps(a, b); }
inline vec fma(vec a, vec b, vec c) { return _mm_add_ps(_mm_mul_ps(a, b), c); }
inline vec_bits to_int(vec a) { return _mm_cvtps_epi32(a); }
inline vec to_float(vec_bits a) { return _mm_cvtepi32_ps(a); }
inline vec power_of_two(vec_bits n) {
  return _mm_castsi128_ps(_mm_slli_epi32(_mm_add_epi32(n, _mm_set1_epi32(127)), 23));
}
inline vec keep_unless_below(vec value, vec a, vec b) {
  return _mm_and_ps(value, _mm_cmpnlt_ps(a, b));
}
inline vec widen(const void* from) {
  const __m128i halves = _mm_loadl_epi64(static_cast<const __m128i*>(from));
  return _mm_castsi128_ps(_mm_unpacklo_epi16(_mm_setzero_si128(), halves));
}
inline void widen_pairs(const void* from, vec& low, vec& high) {
  const __m128i pairs = _mm_loadu_si128(static_cast<const __m128i*>(from));
  low = _mm_castsi128_ps(_mm_slli_epi32(pairs, 16));
  high = _mm_castsi128_ps(_mm_and_si128(pairs, _mm_set1_epi32(static_cast<int>(0xffff0000U))));
}

#endif

// The scalar twin of `fma`, with the same roundings, for columns beyond the last whole vector.
inline float fma_one(float a, float b, float c) {
#if defined(WEFT_ISA_AVX512) || defined(WEFT_ISA_AVX2)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

// The sum of all lanes, always in the same order: halves are added until one lane is left.
inline float sum(__m128 value) {
  value = _mm_add_ps(value, _mm_movehl_ps(value, value));
  return _mm_cvtss_f32(_mm_add_ss(value, _mm_shuffle_ps(value, value, 1)));
}
#if defined(WEFT_ISA_AVX512) || defined(WEFT_ISA_AVX2)
inline float sum(__m256 value) {
  return sum(_mm_add_ps(_mm256_castps256_ps128(value), _mm256_extractf128_ps(value, 1)));
}
#endif
#if defined(WEFT_ISA_AVX512)
inline float sum(__m512 value) {
  return sum(_mm256_add_ps(_mm512_castps512_ps256(value), _mm512_extractf32x8_ps(value, 1)));
}
#endif

inline float largest(vec value) {
  float lanes[vector_floats];
  store(lanes, value);
  for (int width = vector_floats / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i)
      lanes[i] = lanes[i] < lanes[i + width] ? lanes[i + width] : lanes[i];
  return lanes[0];
}

}  // namespace weft::gpu::WEFT_ISA
