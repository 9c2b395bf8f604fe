// Gated delta net on one value head: the chunk form (WY transform, deploy/docs/formulas.md G.4) and
// the token form. Only for kernels/kernels.cpp (see simd.hpp).
//
// One pass reads k, w and the gates once for all columns [S | T | S from zero]: U belongs to the
// columns that see values, T is the same recurrence with U = 0.
#pragma once

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/kernels/small_gemm.hpp"
#include "gpu/host/kernels/vector_math.hpp"

namespace weft::gpu::WEFT_ISA {

// Where the pieces of one chunk lie in the scratch memory; the letters are those of G.4.
struct delta_scratch {
  float* keys_turned;  // K^T          [key_dim, 64]
  float* decay;        // exp(G_i-G_j) [64, 64], 0 above the diagonal
  float* lower;        // -L           [64, 64]
  float* scores;       // P            [64, 64]
  float* solved;       // [U | -W]     [64, value_dim + key_dim]
  float* fresh;        // D            [64, max(key_dim, value_dim)]
  float* queries;      // exp(G) Q     [64, key_dim]
  float* keys_left;    // exp(G_C-G) K [64, key_dim]
  float* sums;         // G            [64]
  float* factors;      // exp of some G [64]

  delta_scratch(float* at, std::int64_t key_dim, std::int64_t value_dim) {
    constexpr std::int64_t c = chunk_tokens;
    const auto take = [&at](std::int64_t floats) {
      float* piece = at;
      at += floats;
      return piece;
    };
    keys_turned = take(key_dim * c);
    decay = take(c * c);
    lower = take(c * c);
    scores = take(c * c);
    solved = take(c * (key_dim + value_dim));
    fresh = take(c * (key_dim > value_dim ? key_dim : value_dim));
    queries = take(c * key_dim);
    keys_left = take(c * key_dim);
    sums = take(c);
    factors = take(c);
  }
};

inline void scale_row(const float* x, float factor, float* y, std::int64_t count) {
  const vec f = splat(factor);
  map(x, x, y, count, [f](vec value, vec) { return mul(value, f); });
}

// G, K^T and exp(G_i - G_j), masked before the exponential.
inline void prepare_chunk(const gated_delta_args& m, const delta_scratch& s) {
  constexpr std::int64_t c = chunk_tokens;
  const std::int64_t padded = (m.tokens + vector_floats - 1) / vector_floats * vector_floats;
  float total = 0.0F;
  for (std::int64_t i = 0; i < m.tokens; ++i) s.sums[i] = total += m.gates[i * m.gate_row];
  for (std::int64_t i = 0; i < m.tokens; ++i)
    for (std::int64_t d = 0; d < m.key_dim; ++d)
      s.keys_turned[d * c + i] = m.k[i * m.token_row + d];
  for (std::int64_t d = 0; d < m.key_dim; ++d)
    for (std::int64_t i = m.tokens; i < padded; ++i) s.keys_turned[d * c + i] = 0.0F;
  for (std::int64_t i = 0; i < m.tokens; ++i) {
    float* row = s.decay + i * c;
    for (std::int64_t j = 0; j < padded; ++j) row[j] = j <= i ? s.sums[i] - s.sums[j] : -1000.0F;
    map(row, row, row, padded, [](vec value, vec) { return exp(value); });
  }
}

// -L and P from K K^T and Q K^T.
inline void chunk_scores(const gated_delta_args& m, const delta_scratch& s) {
  constexpr std::int64_t c = chunk_tokens;
  const std::int64_t padded = (m.tokens + vector_floats - 1) / vector_floats * vector_floats;
  gemm_args product{.a = m.k,
                    .a_row = m.token_row,
                    .b = s.keys_turned,
                    .b_row = c,
                    .c = s.lower,
                    .c_row = c,
                    .rows = m.tokens,
                    .depth = m.key_dim,
                    .cols = padded};
  gemm(product);
  product.a = m.q;
  product.c = s.scores;
  gemm(product);
  for (std::int64_t i = 0; i < m.tokens; ++i) {
    float* lower = s.lower + i * c;
    const float* decay = s.decay + i * c;
    const vec beta = splat(-m.betas[i * m.gate_row]);
    map(lower, decay, lower, padded, [beta](vec kk, vec e) { return mul(mul(kk, e), beta); });
    for (std::int64_t j = i; j < padded; ++j) lower[j] = 0.0F;
    map(s.scores + i * c, decay, s.scores + i * c, padded,
        [](vec qk, vec e) { return mul(qk, e); });
  }
}

// [U | -W] = (I + L)^-1 [diag(beta) V | -diag(beta exp G) K] by forward substitution in blocks.
inline void solve_chunk(const gated_delta_args& m, const delta_scratch& s) {
  constexpr std::int64_t c = chunk_tokens;
  constexpr std::int64_t block = 16;
  const std::int64_t width = m.value_dim + m.key_dim;
  for (std::int64_t i = 0; i < m.tokens; ++i) {
    const float beta = m.betas[i * m.gate_row];
    scale_row(m.v + i * m.token_row, beta, s.solved + i * width, m.value_dim);
    scale_row(m.k + i * m.token_row, -beta * s.factors[i], s.solved + i * width + m.value_dim,
              m.key_dim);
  }
  for (std::int64_t first = 0; first < m.tokens; first += block) {
    const std::int64_t rows = m.tokens - first < block ? m.tokens - first : block;
    gemm_args product{.a = s.lower + first * c,
                      .a_row = c,
                      .b = s.solved,
                      .b_row = width,
                      .c = s.solved + first * width,
                      .c_row = width,
                      .rows = rows,
                      .depth = first,
                      .cols = width,
                      .accumulate = true};
    if (first > 0) gemm(product);
    for (std::int64_t i = 1; i < rows; ++i) {
      product.a = s.lower + (first + i) * c + first;
      product.b = s.solved + first * width;
      product.c = s.solved + (first + i) * width;
      product.rows = 1;
      product.depth = i;
      gemm(product);
    }
  }
}

// state <- e^{G_C} state + (exp(G_C - G) K)^T D with D = U - W state; D is left in `fresh`.
// Without values (the transition's columns) U is 0.
inline void advance_columns(const gated_delta_args& m, const delta_scratch& s, float* state,
                            std::int64_t cols, bool with_values, float last_factor) {
  const std::int64_t width = m.value_dim + m.key_dim;
  if (with_values)
    for (std::int64_t i = 0; i < m.tokens; ++i)
      for (std::int64_t j = 0; j < cols; ++j) s.fresh[i * cols + j] = s.solved[i * width + j];
  gemm({.a = s.solved + m.value_dim,
        .a_row = width,
        .b = state,
        .b_row = cols,
        .c = s.fresh,
        .c_row = cols,
        .rows = m.tokens,
        .depth = m.key_dim,
        .cols = cols,
        .accumulate = with_values});
  scale_row(state, last_factor, state, m.key_dim * cols);
  gemm({.a = s.keys_left,
        .a_row = 1,
        .a_depth = m.key_dim,
        .b = s.fresh,
        .b_row = cols,
        .c = state,
        .c_row = cols,
        .rows = m.key_dim,
        .depth = m.tokens,
        .cols = cols,
        .accumulate = true});
}

inline void gated_delta_chunk(const gated_delta_args& m) {
  const delta_scratch s(m.scratch, m.key_dim, m.value_dim);
  constexpr std::int64_t c = chunk_tokens;
  prepare_chunk(m, s);
  chunk_scores(m, s);

  map(s.sums, s.sums, s.factors, m.tokens, [](vec value, vec) { return exp(value); });
  for (std::int64_t i = 0; i < m.tokens; ++i)
    scale_row(m.q + i * m.token_row, s.factors[i], s.queries + i * m.key_dim, m.key_dim);
  solve_chunk(m, s);
  const float last_factor = s.factors[m.tokens - 1];
  const vec last_sum = splat(s.sums[m.tokens - 1]);
  map(s.sums, s.sums, s.factors, m.tokens,
      [last_sum](vec value, vec) { return exp(sub(last_sum, value)); });
  for (std::int64_t i = 0; i < m.tokens; ++i)
    scale_row(m.k + i * m.token_row, s.factors[i], s.keys_left + i * m.key_dim, m.key_dim);

  // Outputs need the state before the chunk, and D, which advance_columns leaves behind.
  gemm({.a = s.queries,
        .a_row = m.key_dim,
        .b = m.state,
        .b_row = m.value_dim,
        .c = m.out,
        .c_row = m.out_row,
        .rows = m.tokens,
        .depth = m.key_dim,
        .cols = m.value_dim});
  advance_columns(m, s, m.state, m.value_dim, true, last_factor);
  gemm({.a = s.scores,
        .a_row = c,
        .b = s.fresh,
        .b_row = m.value_dim,
        .c = m.out,
        .c_row = m.out_row,
        .rows = m.tokens,
        .depth = m.tokens,
        .cols = m.value_dim,
        .accumulate = true});
  if (m.alone != nullptr) advance_columns(m, s, m.alone, m.value_dim, true, last_factor);
  if (m.transition != nullptr) advance_columns(m, s, m.transition, m.key_dim, false, last_factor);
}

// The recurrence itself, one token after the other (decode).
inline void gated_delta_token(const gated_delta_args& m) {
  float* change = m.scratch;
  for (std::int64_t t = 0; t < m.tokens; ++t) {
    const float* q = m.q + t * m.token_row;
    const float* k = m.k + t * m.token_row;
    const float* v = m.v + t * m.token_row;
    float gate = m.gates[t * m.gate_row];
    map(&gate, &gate, &gate, 1, [](vec value, vec) { return exp(value); });
    scale_row(m.state, gate, m.state, m.key_dim * m.value_dim);
    gemm({.a = k,
          .a_row = m.key_dim,
          .b = m.state,
          .b_row = m.value_dim,
          .c = change,
          .c_row = m.value_dim,
          .rows = 1,
          .depth = m.key_dim,
          .cols = m.value_dim});
    const vec beta = splat(m.betas[t * m.gate_row]);
    map(v, change, change, m.value_dim,
        [beta](vec value, vec seen) { return mul(beta, sub(value, seen)); });
    gemm({.a = k,
          .a_row = 1,
          .b = change,
          .b_row = m.value_dim,
          .c = m.state,
          .c_row = m.value_dim,
          .rows = m.key_dim,
          .depth = 1,
          .cols = m.value_dim,
          .accumulate = true});
    gemm({.a = q,
          .a_row = m.key_dim,
          .b = m.state,
          .b_row = m.value_dim,
          .c = m.out + t * m.out_row,
          .c_row = m.value_dim,
          .rows = 1,
          .depth = m.key_dim,
          .cols = m.value_dim});
  }
}

inline void splice(const splice_args& m) {
  const std::int64_t floats = m.key_dim * m.value_dim;
  if (m.transition == nullptr) {
    if (m.keep_state)
      map(m.state, m.share, m.state, floats, [](vec a, vec b) { return add(a, b); });
    else
      map(m.share, m.share, m.state, floats, [](vec a, vec) { return a; });
    return;
  }
  gemm({.a = m.transition,
        .a_row = m.key_dim,
        .b = m.state,
        .b_row = m.value_dim,
        .c = m.scratch,
        .c_row = m.value_dim,
        .rows = m.key_dim,
        .depth = m.key_dim,
        .cols = m.value_dim});
  map(m.scratch, m.share, m.state, floats, [](vec a, vec b) { return add(a, b); });
}

inline void identity_share(const identity_args& m) {
  const std::int64_t floats = m.key_dim * m.value_dim;
  if (m.transition == nullptr) {
    map(m.state, m.state, m.share, floats, [](vec a, vec) { return a; });
    return;
  }
  gemm({.a = m.transition,
        .a_row = m.key_dim,
        .b = m.share,
        .b_row = m.value_dim,
        .c = m.scratch,
        .c_row = m.value_dim,
        .rows = m.key_dim,
        .depth = m.key_dim,
        .cols = m.value_dim});
  map(m.state, m.scratch, m.share, floats, [](vec a, vec b) { return sub(a, b); });
}

}  // namespace weft::gpu::WEFT_ISA
