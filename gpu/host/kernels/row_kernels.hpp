// Kernels that treat one row at a time: norms, convolution, rotary embedding, gates.
// Only for kernels/kernels.cpp (see simd.hpp).
#pragma once

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/kernels/vector_math.hpp"

namespace weft::gpu::WEFT_ISA {

// Two chains of multiply-adds: one would wait for itself.
inline float sum_of_squares(const float* x, std::int64_t count) {
  vec acc = splat(0.0F);
  vec odd = splat(0.0F);
  std::int64_t i = 0;
  for (; i + 2 * vector_floats <= count; i += 2 * vector_floats) {
    const vec second = load(x + i + vector_floats);
    acc = fma(load(x + i), load(x + i), acc);
    odd = fma(second, second, odd);
  }
  acc = add(acc, odd);
  for (; i + vector_floats <= count; i += vector_floats) acc = fma(load(x + i), load(x + i), acc);
  float total = sum(acc);
  for (; i < count; ++i) total = fma_one(x[i], x[i], total);
  return total;
}

inline void rms_norm(const rms_norm_args& m) {
  for (std::int64_t row = 0; row < m.rows; ++row) {
    const float* x = m.x + row * m.x_row;
    const float mean = sum_of_squares(x, m.width) / static_cast<float>(m.width);
    const vec factor = splat(1.0F / __builtin_sqrtf(mean + m.epsilon));
    map(x, m.weight, m.y + row * m.y_row, m.width,
        [factor](vec value, vec weight) { return mul(mul(value, factor), weight); });
  }
}

// `Count` vectors of channels from `i` on, for a kernel known when compiled: taps stay in
// registers.
template <int Kernel, int Count>
inline void conv_block(const conv_args& m, const float* const (&taps)[Kernel], std::int64_t i) {
  vec acc[Count];
#pragma GCC unroll 4
  for (int v = 0; v < Count; ++v) acc[v] = splat(0.0F);
#pragma GCC unroll 8
  for (int j = 0; j < Kernel; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < Count; ++v) {
      const std::int64_t at = i + v * vector_floats;
      acc[v] = fma(load(m.weight + j * m.channels + at), load(taps[j] + at), acc[v]);
    }
  silu(acc);
#pragma GCC unroll 4
  for (int v = 0; v < Count; ++v) store(m.y + i + v * vector_floats, acc[v]);
}

// All whole vectors of channels; returns how many channels those are.
template <int Kernel>
inline std::int64_t conv_vectors(const conv_args& m) {
  const float* taps[Kernel];
  for (int j = 0; j < Kernel; ++j) taps[j] = m.taps[j];
  std::int64_t i = 0;
  for (; i + chains * vector_floats <= m.channels; i += chains * vector_floats)
    conv_block<Kernel, chains>(m, taps, i);
  for (; i + vector_floats <= m.channels; i += vector_floats) conv_block<Kernel, 1>(m, taps, i);
  return i;
}

inline std::int64_t conv_vectors(const conv_args& m) {
  switch (m.kernel) {
    case 2: return conv_vectors<2>(m);
    case 3: return conv_vectors<3>(m);
    case 4: return conv_vectors<4>(m);
    case 5: return conv_vectors<5>(m);
    case 6: return conv_vectors<6>(m);
    case 7: return conv_vectors<7>(m);
    default: return conv_vectors<8>(m);
  }
}

inline void conv_silu(const conv_args& m) {
  const std::int64_t i = conv_vectors(m);
  float tail[vector_floats] = {};
  for (std::int64_t c = i; c < m.channels; ++c) {
    float acc = 0.0F;
    for (int j = 0; j < m.kernel; ++j)
      acc = fma_one(m.weight[j * m.channels + c], m.taps[j][c], acc);
    tail[c - i] = acc;
  }
  store(tail, silu(load(tail)));
  for (std::int64_t c = i; c < m.channels; ++c) m.y[c] = tail[c - i];
}

inline void l2_norm(const l2_norm_args& m) {
  for (std::int64_t head = 0; head < m.heads; ++head) {
    float* x = m.x + head * m.width;
    const vec factor = splat(m.scale / __builtin_sqrtf(sum_of_squares(x, m.width) + 1e-6F));
    map(x, x, x, m.width, [factor](vec value, vec) { return mul(value, factor); });
  }
}

inline void rope(const rope_args& m) {
  const std::int64_t half = m.rope.rotary_dim / 2;
  const float* cosines = m.rope.cosines + m.position * half;
  const float* sines = m.rope.sines + m.position * half;
  std::int64_t i = 0;
  for (; i + vector_floats <= half; i += vector_floats) {
    const vec low = load(m.x + i);
    const vec high = load(m.x + half + i);
    const vec c = load(cosines + i);
    const vec s = load(sines + i);
    store(m.y + i, sub(mul(low, c), mul(high, s)));
    store(m.y + half + i, add(mul(high, c), mul(low, s)));
  }
  for (; i < half; ++i) {
    const float low = m.x[i];
    const float high = m.x[half + i];
    m.y[i] = low * cosines[i] - high * sines[i];
    m.y[half + i] = high * cosines[i] + low * sines[i];
  }
  if (m.x != m.y)
    for (i = m.rope.rotary_dim; i < m.width; ++i) m.y[i] = m.x[i];
}

inline void silu_multiply(const float* gate, const float* up, float* y, std::int64_t count) {
  map_chains(gate, up, y, count, [](auto& a, auto& b) {
    silu(a);
    multiply(a, b);
  });
}

inline void sigmoid_multiply(const float* gate, const float* x, float* y, std::int64_t count) {
  map_chains(gate, x, y, count, [](auto& a, auto& b) {
    sigmoid(a);
    multiply(a, b);
  });
}

inline void add_to(const float* x, float* y, std::int64_t count) {
  map(x, y, y, count, [](vec a, vec b) { return add(a, b); });
}

}  // namespace weft::gpu::WEFT_ISA
