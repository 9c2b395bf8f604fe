// Kernels that treat one row at a time: norms, convolution, rotary embedding, gates.
// Only for kernels/kernels.cpp (see simd.hpp).
#pragma once

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/kernels/vector_math.hpp"

namespace weft::gpu::WEFT_ISA {

inline float sum_of_squares(const float* x, std::int64_t count) {
  vec acc = splat(0.0F);
  std::int64_t i = 0;
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

// Whole vectors of channels, for a kernel known when compiled: taps stay in registers.
template <int Kernel>
inline std::int64_t conv_vectors(const conv_args& m) {
  const float* taps[Kernel];
  for (int j = 0; j < Kernel; ++j) taps[j] = m.taps[j];
  const float* weight = m.weight;
  float* y = m.y;
  std::int64_t i = 0;
  for (; i + vector_floats <= m.channels; i += vector_floats) {
    vec acc = splat(0.0F);
#pragma GCC unroll 8
    for (int j = 0; j < Kernel; ++j)
      acc = fma(load(weight + j * m.channels + i), load(taps[j] + i), acc);
    store(y + i, silu(acc));
  }
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
  map(gate, up, y, count, [](vec a, vec b) { return mul(silu(a), b); });
}

inline void sigmoid_multiply(const float* gate, const float* x, float* y, std::int64_t count) {
  map(gate, x, y, count, [](vec a, vec b) { return mul(sigmoid(a), b); });
}

inline void add_to(const float* x, float* y, std::int64_t count) {
  map(x, y, y, count, [](vec a, vec b) { return add(a, b); });
}

}  // namespace weft::gpu::WEFT_ISA
