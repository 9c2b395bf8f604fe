// exp, sigmoid and silu on vectors, accurate to about one unit in the last place of a float.
// Only for kernels/kernels.cpp (see simd.hpp).
#pragma once

#include "gpu/host/kernels/simd.hpp"

namespace weft::gpu::WEFT_ISA {

// Below this floats become subnormal.
inline constexpr float exp_lowest = -87.3F;

// Vectors that are treated side by side: an exponential is one long chain of operations that wait
// for one another, and a processor finds others to go on with only a little further down.
inline constexpr int chains = 4;

// x <- e^x: x = n ln 2 + r with |r| <= ln 2 / 2, then the Taylor series to r^7 (its rest is below
// 5e-9). Beyond -87.3 and 88.3 the result stays at what it is there.
template <int Count>
inline void clamped_exp(vec (&x)[Count]) {
  constexpr float series[] = {1.0F / 720.0F, 1.0F / 120.0F, 1.0F / 24.0F, 1.0F / 6.0F,
                              0.5F,          1.0F,          1.0F};
  vec_bits n[Count];
  vec y[Count];
  // Operands in this order: min and max hand a NaN in x on.
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = min(splat(88.3F), max(splat(exp_lowest), x[j]));
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) n[j] = to_int(mul(x[j], splat(1.44269504F)));
    // ln 2 in two parts: the first has few bits, so that n times it is exact.
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = fma(to_float(n[j]), splat(-0.693359375F), x[j]);
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = fma(to_float(n[j]), splat(2.12194440e-4F), x[j]);
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) y[j] = splat(1.0F / 5040.0F);
#pragma GCC unroll 7
  for (const float coefficient : series)
#pragma GCC unroll 4
    for (int j = 0; j < Count; ++j) y[j] = fma(y[j], x[j], splat(coefficient));
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = mul(y[j], power_of_two(n[j]));
}

// As above, but exactly 0 below -87.3.
template <int Count>
inline void exp(vec (&x)[Count]) {
  vec y[Count];
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) y[j] = x[j];
  clamped_exp(y);
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = keep_unless_below(y[j], x[j], splat(exp_lowest));
}

inline vec exp(vec x) {
  vec one[1] = {x};
  exp(one);
  return one[0];
}

// x <- 1 + e^-x
template <int Count>
inline void one_plus_exp_minus(vec (&x)[Count]) {
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = sub(splat(0.0F), x[j]);
  clamped_exp(x);
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = add(splat(1.0F), x[j]);
}

template <int Count>
inline void sigmoid(vec (&x)[Count]) {
  one_plus_exp_minus(x);
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = div(splat(1.0F), x[j]);
}

template <int Count>
inline void silu(vec (&x)[Count]) {
  vec below[Count];
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) below[j] = x[j];
  one_plus_exp_minus(below);
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = div(x[j], below[j]);
}

inline vec silu(vec x) {
  vec one[1] = {x};
  silu(one);
  return one[0];
}

template <int Count>
inline void multiply(vec (&x)[Count], const vec (&by)[Count]) {
#pragma GCC unroll 4
  for (int j = 0; j < Count; ++j) x[j] = mul(x[j], by[j]);
}

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

// As map, `chains` vectors at a time: `f` leaves its result in its first array.
template <class Function>
inline void map_chains(const float* a, const float* b, float* out, std::int64_t count, Function f) {
  std::int64_t i = 0;
  for (; i + chains * vector_floats <= count; i += chains * vector_floats) {
    vec x[chains];
    vec y[chains];
#pragma GCC unroll 4
    for (int j = 0; j < chains; ++j) x[j] = load(a + i + j * vector_floats);
#pragma GCC unroll 4
    for (int j = 0; j < chains; ++j) y[j] = load(b + i + j * vector_floats);
    f(x, y);
#pragma GCC unroll 4
    for (int j = 0; j < chains; ++j) store(out + i + j * vector_floats, x[j]);
  }
  map(a + i, b + i, out + i, count - i, [&f](vec first, vec second) {
    vec x[1] = {first};
    vec y[1] = {second};
    f(x, y);
    return x[0];
  });
}

// y = e^x
inline void exp_row(const float* x, float* y, std::int64_t count) {
  map_chains(x, x, y, count, [](auto& value, auto&) { exp(value); });
}

}  // namespace weft::gpu::WEFT_ISA
