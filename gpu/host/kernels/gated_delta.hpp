// Gated delta net on one value head, the chunk form (WY transform, deploy/docs/formulas.md G.4),
// and the jumps over entries. Only for kernels/kernels.cpp (see simd.hpp).
//
// One pass reads k, w and the gates once for all columns [S | T | S from zero]: U belongs to the
// columns that see values, T is the same recurrence with U = 0.
#pragma once

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/kernels/small_gemm.hpp"
#include "gpu/host/kernels/transpose.hpp"
#include "gpu/host/kernels/vector_math.hpp"

namespace weft::gpu::WEFT_ISA {

// Rows of a block of the triangular solve: its inverse costs little and its products are whole
// blocks of the matrix kernel.
inline constexpr std::int64_t delta_block = delta_block_tokens;
// Rows of P and L that share their last column: less is computed that the mask would drop, more
// rows share a band of keys.
inline constexpr std::int64_t score_rows = 16;

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
  float* right;        // what (I + L) U and (I + L) W are, one block [16, value_dim + key_dim]
  float* inverse;      // (I + L)^-1 of one block [16, 16]
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
    right = take(delta_block * (key_dim + value_dim));
    inverse = take(delta_block * delta_block);
    sums = take(c);
    factors = take(c);
  }
};

inline void scale_row(const float* x, float factor, float* y, std::int64_t count) {
  const vec f = splat(factor);
  map(x, x, y, count, [f](vec value, vec) { return mul(value, f); });
}

inline std::int64_t whole_vectors(std::int64_t count) {
  return (count + vector_floats - 1) / vector_floats * vector_floats;
}

// G, K^T and exp(G_i - G_j), masked before the exponential.
inline void prepare_chunk(const gated_delta_args& m, const delta_scratch& s) {
  constexpr std::int64_t c = chunk_tokens;
  const std::int64_t padded = whole_vectors(m.tokens);
  float total = 0.0F;
  for (std::int64_t i = 0; i < m.tokens; ++i) s.sums[i] = total += m.gates[i * m.gate_row];
  transpose(m.k, m.token_row, m.tokens, m.key_dim, s.keys_turned, c);
  for (std::int64_t d = 0; d < m.key_dim; ++d)
    for (std::int64_t i = m.tokens; i < padded; ++i) s.keys_turned[d * c + i] = 0.0F;
  for (std::int64_t i = 0; i < m.tokens; ++i) {
    float* row = s.decay + i * c;
    const std::int64_t reached = whole_vectors(i + 1);
    for (std::int64_t j = 0; j < reached; ++j) row[j] = j <= i ? s.sums[i] - s.sums[j] : -1000.0F;
    map(row, row, row, reached, [](vec value, vec) { return exp(value); });
    for (std::int64_t j = reached; j < padded; ++j) row[j] = 0.0F;
  }
}

// -L and P from K K^T and Q K^T; of a block of rows only the columns up to its last row.
inline void chunk_scores(const gated_delta_args& m, const delta_scratch& s) {
  constexpr std::int64_t c = chunk_tokens;
  const std::int64_t padded = whole_vectors(m.tokens);
  for (std::int64_t first = 0; first < m.tokens; first += score_rows) {
    const std::int64_t rows = m.tokens - first < score_rows ? m.tokens - first : score_rows;
    const std::int64_t reached = first + rows == m.tokens ? padded : first + rows;
    gemm_args product{.a = m.k + first * m.token_row,
                      .a_row = m.token_row,
                      .b = s.keys_turned,
                      .b_row = c,
                      .c = s.lower + first * c,
                      .c_row = c,
                      .rows = rows,
                      .depth = m.key_dim,
                      .cols = reached};
    gemm(product);
    product.a = m.q + first * m.token_row;
    product.c = s.scores + first * c;
    gemm(product);
    for (std::int64_t i = first; i < first + rows; ++i) {
      float* lower = s.lower + i * c;
      const float* decay = s.decay + i * c;
      const vec beta = splat(-m.betas[i * m.gate_row]);
      map(lower, decay, lower, reached, [beta](vec kk, vec e) { return mul(mul(kk, e), beta); });
      for (std::int64_t j = i; j < reached; ++j) lower[j] = 0.0F;
      map(s.scores + i * c, decay, s.scores + i * c, reached,
          [](vec qk, vec e) { return mul(qk, e); });
    }
  }
}

// (I + L)^-1 of the block of `rows` rows that begins at `first` on the diagonal, row by row:
// a row is its unit vector plus -L times the rows above it.
inline void invert_block(const delta_scratch& s, std::int64_t first, std::int64_t rows) {
  for (std::int64_t i = 0; i < rows; ++i) {
    float* row = s.inverse + i * delta_block;
    for (std::int64_t j = 0; j < delta_block; ++j) row[j] = j == i ? 1.0F : 0.0F;
    gemm({.a = s.lower + (first + i) * chunk_tokens + first,
          .a_row = chunk_tokens,
          .b = s.inverse,
          .b_row = delta_block,
          .c = row,
          .c_row = delta_block,
          .rows = 1,
          .depth = i,
          .cols = delta_block,
          .start = row,
          .start_row = delta_block});
  }
}

// [U | -W] = (I + L)^-1 [diag(beta) V | -diag(beta exp G) K], block after block: what the blocks
// before give is taken off, the rest is multiplied by the block's own inverse.
inline void solve_chunk(const gated_delta_args& m, const delta_scratch& s) {
  const std::int64_t width = m.value_dim + m.key_dim;
  for (std::int64_t first = 0; first < m.tokens; first += delta_block) {
    const std::int64_t rows = m.tokens - first < delta_block ? m.tokens - first : delta_block;
    for (std::int64_t i = 0; i < rows; ++i) {
      const std::int64_t token = first + i;
      const float beta = m.betas[token * m.gate_row];
      float* right = s.right + i * width;
      scale_row(m.v + token * m.token_row, beta, right, m.value_dim);
      scale_row(m.k + token * m.token_row, -beta * s.factors[token], right + m.value_dim,
                m.key_dim);
    }
    gemm({.a = s.lower + first * chunk_tokens,
          .a_row = chunk_tokens,
          .b = s.solved,
          .b_row = width,
          .c = s.right,
          .c_row = width,
          .rows = rows,
          .depth = first,
          .cols = width,
          .start = s.right,
          .start_row = width});
    invert_block(s, first, rows);
    gemm({.a = s.inverse,
          .a_row = delta_block,
          .b = s.right,
          .b_row = width,
          .c = s.solved + first * width,
          .c_row = width,
          .rows = rows,
          .depth = rows,
          .cols = width});
  }
}

// state <- e^{G_C} state + (exp(G_C - G) K)^T D with D = U - W state; D is left in `fresh`.
// Without values (the transition's columns) U is 0.
inline void advance_columns(const gated_delta_args& m, const delta_scratch& s, float* state,
                            std::int64_t cols, bool with_values, float last_factor) {
  const std::int64_t width = m.value_dim + m.key_dim;
  gemm({.a = s.solved + m.value_dim,
        .a_row = width,
        .b = state,
        .b_row = cols,
        .c = s.fresh,
        .c_row = cols,
        .rows = m.tokens,
        .depth = m.key_dim,
        .cols = cols,
        .start = with_values ? s.solved : nullptr,
        .start_row = width});
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
        .start = state,
        .start_row = cols,
        .scale = last_factor});
}

// out += P D; P is 0 right of the diagonal, so a block of rows needs D only up to its last row.
inline void add_chunk_outputs(const gated_delta_args& m, const delta_scratch& s) {
  for (std::int64_t first = 0; first < m.tokens; first += score_rows) {
    const std::int64_t rows = m.tokens - first < score_rows ? m.tokens - first : score_rows;
    float* out = m.out + first * m.out_row;
    gemm({.a = s.scores + first * chunk_tokens,
          .a_row = chunk_tokens,
          .b = s.fresh,
          .b_row = m.value_dim,
          .c = out,
          .c_row = m.out_row,
          .rows = rows,
          .depth = first + rows,
          .cols = m.value_dim,
          .start = out,
          .start_row = m.out_row});
  }
}

inline void gated_delta_chunk(const gated_delta_args& m) {
  const delta_scratch s(m.scratch, m.key_dim, m.value_dim);
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
  add_chunk_outputs(m, s);
  if (m.alone != nullptr) advance_columns(m, s, m.alone, m.value_dim, true, last_factor);
  if (m.transition != nullptr) advance_columns(m, s, m.transition, m.key_dim, false, last_factor);
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
