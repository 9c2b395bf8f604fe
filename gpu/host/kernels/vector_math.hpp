// exp, sigmoid and silu on vectors, accurate to about one unit in the last place of a float.
// Only for kernels/kernels.cpp (see simd.hpp).
#pragma once

#include "gpu/host/kernels/simd.hpp"

namespace weft::gpu::WEFT_ISA {

// Below this floats become subnormal.
inline constexpr float exp_lowest = -87.3F;

// e^x: x = n ln 2 + r with |r| <= ln 2 / 2, then the Taylor series to r^7 (its rest is below 5e-9).
// Beyond -87.3 and 88.3 the result stays at what it is there.
inline vec clamped_exp(vec x) {
  const vec lowest = splat(exp_lowest);
  // Operands in this order: min and max hand a NaN in x on.
  const vec clamped = min(splat(88.3F), max(lowest, x));
  const vec_bits n = to_int(mul(clamped, splat(1.44269504F)));
  const vec whole = to_float(n);
  // ln 2 in two parts: the first has few bits, so that n times it is exact.
  vec r = fma(whole, splat(-0.693359375F), clamped);
  r = fma(whole, splat(2.12194440e-4F), r);
  vec y = splat(1.0F / 5040.0F);
  y = fma(y, r, splat(1.0F / 720.0F));
  y = fma(y, r, splat(1.0F / 120.0F));
  y = fma(y, r, splat(1.0F / 24.0F));
  y = fma(y, r, splat(1.0F / 6.0F));
  y = fma(y, r, splat(0.5F));
  y = fma(y, r, splat(1.0F));
  y = fma(y, r, splat(1.0F));
  return mul(y, power_of_two(n));
}

// As above, but exactly 0 below -87.3.
inline vec exp(vec x) { return keep_unless_below(clamped_exp(x), x, splat(exp_lowest)); }

inline vec sigmoid(vec x) {
  const vec one = splat(1.0F);
  return div(one, add(one, clamped_exp(sub(splat(0.0F), x))));
}

inline vec silu(vec x) { return div(x, add(splat(1.0F), clamped_exp(sub(splat(0.0F), x)))); }

// Applies `f` to `count` floats from each input; the last partial vector goes through a padded
// copy, so that every element sees the same arithmetic wherever it stands.
template <class Function>
inline void map(const float* a, const float* b, float* out, std::int64_t count, Function f) {
  std::int64_t i = 0;
  for (; i + vector_floats <= count; i += vector_floats)
    store(out + i, f(load(a + i), load(b + i)));
  if (i == count) return;
  float tail_a[vector_floats] = {};
  float tail_b[vector_floats] = {};
  for (std::int64_t j = i; j < count; ++j) {
    tail_a[j - i] = a[j];
    tail_b[j - i] = b[j];
  }
  store(tail_a, f(load(tail_a), load(tail_b)));
  for (std::int64_t j = i; j < count; ++j) out[j] = tail_a[j - i];
}

}  // namespace weft::gpu::WEFT_ISA
