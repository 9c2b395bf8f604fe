// Gated delta net on one value head, token by token (decode). Only for kernels/kernels.cpp (see
// simd.hpp).
//
// S <- e^g S + k^T d with d = beta (v - e^g k S), and q S_new = e^g q S + (q k^T) d: so k S and q S
// come from one pass over the state, the new state from a second one while its columns are still in
// the first-level cache.
#pragma once

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/kernels/vector_math.hpp"

namespace weft::gpu::WEFT_ISA {

// One token's numbers, for every column alike.
struct delta_token {
  const float* q;
  const float* k;
  float decay;  // e^g
  float beta;
  float overlap;  // q k^T
};

template <int Vectors>
inline void token_columns(const gated_delta_args& m, const delta_token& at, const float* v,
                          float* out, std::int64_t col) {
  vec seen[Vectors];
  vec asked[Vectors];
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; ++j) seen[j] = asked[j] = splat(0.0F);
  float* state = m.state + col;
  for (std::int64_t d = 0; d < m.key_dim; ++d) {
    const vec k = splat(at.k[d]);
    const vec q = splat(at.q[d]);
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) {
      const vec value = load(state + d * m.value_dim + j * vector_floats);
      seen[j] = fma(k, value, seen[j]);
      asked[j] = fma(q, value, asked[j]);
    }
  }
  const vec decay = splat(at.decay);
  vec change[Vectors];
#pragma GCC unroll 4
  for (int j = 0; j < Vectors; ++j) {
    change[j] = mul(splat(at.beta), sub(load(v + col + j * vector_floats), mul(decay, seen[j])));
    store(out + col + j * vector_floats, fma(splat(at.overlap), change[j], mul(decay, asked[j])));
  }
  for (std::int64_t d = 0; d < m.key_dim; ++d) {
    const vec k = splat(at.k[d]);
#pragma GCC unroll 4
    for (int j = 0; j < Vectors; ++j) {
      float* value = state + d * m.value_dim + j * vector_floats;
      store(value, fma(k, change[j], mul(decay, load(value))));
    }
  }
}

// A column beyond the last whole vector.
inline void token_column(const gated_delta_args& m, const delta_token& at, const float* v,
                         float* out, std::int64_t col) {
  float* state = m.state + col;
  float seen = 0.0F;
  float asked = 0.0F;
  for (std::int64_t d = 0; d < m.key_dim; ++d) {
    seen = fma_one(at.k[d], state[d * m.value_dim], seen);
    asked = fma_one(at.q[d], state[d * m.value_dim], asked);
  }
  const float change = at.beta * (v[col] - at.decay * seen);
  out[col] = fma_one(at.overlap, change, at.decay * asked);
  for (std::int64_t d = 0; d < m.key_dim; ++d)
    state[d * m.value_dim] = fma_one(at.k[d], change, at.decay * state[d * m.value_dim]);
}

inline float dot(const float* a, const float* b, std::int64_t count) {
  vec acc = splat(0.0F);
  std::int64_t i = 0;
  for (; i + vector_floats <= count; i += vector_floats) acc = fma(load(a + i), load(b + i), acc);
  float total = sum(acc);
  for (; i < count; ++i) total = fma_one(a[i], b[i], total);
  return total;
}

inline void gated_delta_token(const gated_delta_args& m) {
  for (std::int64_t t = 0; t < m.tokens; ++t) {
    const float* v = m.v + t * m.token_row;
    float* out = m.out + t * m.out_row;
    delta_token at{.q = m.q + t * m.token_row,
                   .k = m.k + t * m.token_row,
                   .decay = m.gates[t * m.gate_row],
                   .beta = m.betas[t * m.gate_row],
                   .overlap = 0.0F};
    exp_row(&at.decay, &at.decay, 1);
    at.overlap = dot(at.q, at.k, m.key_dim);
    std::int64_t col = 0;
    for (; col + 4 * vector_floats <= m.value_dim; col += 4 * vector_floats)
      token_columns<4>(m, at, v, out, col);
    for (; col + vector_floats <= m.value_dim; col += vector_floats)
      token_columns<1>(m, at, v, out, col);
    for (; col < m.value_dim; ++col) token_column(m, at, v, out, col);
  }
}

}  // namespace weft::gpu::WEFT_ISA
