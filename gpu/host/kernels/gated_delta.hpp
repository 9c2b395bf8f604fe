// Gated delta net on one value head, the chunk form (WY transform, deploy/docs/formulas.md G.4),
// and the jumps over entries. Only for kernels/kernels.cpp (see simd.hpp).
//
// Scores, inverses and weighed keys are made once for all columns [S | T | S from zero].
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
  float* keys_turned;  // K^T                [key_dim, 64]
  float* decay;        // exp(G_i-G_j)       [64, 64], 0 above the diagonal
  float* lower;        // -L                 [64, 64]
  float* scores;       // P                  [64, 64]
  float* fresh;        // D                  [64, max(key_dim, value_dim)]
  float* queries;      // exp(G) Q           [64, key_dim]
  float* keys_seen;    // -diag(beta exp G) K [64, key_dim]
  float* keys_left;    // exp(G_C-G) K       [64, key_dim]
  float* right;        // what (I + L) D is, one block [16, max(key_dim, value_dim)]
  float* inverses;     // (I + L)^-1 of each block on the diagonal [4, 16, 16]
  float* sums;         // G                  [64]
  float* factors;      // exp of some G      [64]

  delta_scratch(float* at, std::int64_t key_dim, std::int64_t value_dim) {
    constexpr std::int64_t c = chunk_tokens;
    const std::int64_t wider = key_dim > value_dim ? key_dim : value_dim;
    const auto take = [&at](std::int64_t floats) {
      float* piece = at;
      at += floats;
      return piece;
    };
    keys_turned = take(key_dim * c);
    decay = take(c * c);
    lower = take(c * c);
    scores = take(c * c);
    fresh = take(c * wider);
    queries = take(c * key_dim);
    keys_seen = take(c * key_dim);
    keys_left = take(c * key_dim);
    right = take(delta_block * wider);
    inverses = take(c * delta_block);
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
    exp_row(row, row, reached);
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
  float* inverse = s.inverses + first * delta_block;
  for (std::int64_t i = 0; i < rows; ++i) {
    float* row = inverse + i * delta_block;
    for (std::int64_t j = 0; j < delta_block; ++j) row[j] = j == i ? 1.0F : 0.0F;
    gemm({.a = s.lower + (first + i) * chunk_tokens + first,
          .a_row = chunk_tokens,
          .b = inverse,
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

// exp(G) Q, -diag(beta exp G) K and exp(G_C - G) K, and the blocks' inverses. Returns exp(G_C).
inline float weigh_chunk(const gated_delta_args& m, const delta_scratch& s) {
  exp_row(s.sums, s.factors, m.tokens);
  const float last_factor = s.factors[m.tokens - 1];
  for (std::int64_t i = 0; i < m.tokens; ++i) {
    const float beta = m.betas[i * m.gate_row];
    const float* k = m.k + i * m.token_row;
    scale_row(m.q + i * m.token_row, s.factors[i], s.queries + i * m.key_dim, m.key_dim);
    scale_row(k, -beta * s.factors[i], s.keys_seen + i * m.key_dim, m.key_dim);
  }
  const vec last_sum = splat(s.sums[m.tokens - 1]);
  map(s.sums, s.sums, s.factors, m.tokens,
      [last_sum](vec value, vec) { return sub(last_sum, value); });
  exp_row(s.factors, s.factors, m.tokens);
  for (std::int64_t i = 0; i < m.tokens; ++i)
    scale_row(m.k + i * m.token_row, s.factors[i], s.keys_left + i * m.key_dim, m.key_dim);
  for (std::int64_t first = 0; first < m.tokens; first += delta_block)
    invert_block(s, first, m.tokens - first < delta_block ? m.tokens - first : delta_block);
  return last_factor;
}

// What the columns of one matrix are before a chunk, and whether they see its values.
enum class column_start { zero, identity, any };

struct delta_columns {
  float* state = nullptr;  // [key_dim, cols]
  std::int64_t cols = 0;
  column_start start = column_start::any;
  bool with_values = true;
};

// fresh <- diag(beta) V - diag(beta exp G) K state, without V for columns that see no values.
inline void differ_columns(const gated_delta_args& m, const delta_scratch& s,
                           const delta_columns& at) {
  if (at.with_values)
    for (std::int64_t i = 0; i < m.tokens; ++i)
      scale_row(m.v + i * m.token_row, m.betas[i * m.gate_row], s.fresh + i * at.cols, at.cols);
  if (at.start == column_start::zero) return;
  if (at.start == column_start::identity) {
    map(s.keys_seen, s.keys_seen, s.fresh, m.tokens * at.cols, [](vec k, vec) { return k; });
    return;
  }
  gemm({.a = s.keys_seen,
        .a_row = m.key_dim,
        .b = at.state,
        .b_row = at.cols,
        .c = s.fresh,
        .c_row = at.cols,
        .rows = m.tokens,
        .depth = m.key_dim,
        .cols = at.cols,
        .start = at.with_values ? s.fresh : nullptr,
        .start_row = at.cols});
}

// fresh <- (I + L)^-1 fresh, block after block: what the blocks before give is taken off, the rest
// is multiplied by the block's own inverse.
inline void solve_columns(const gated_delta_args& m, const delta_scratch& s, std::int64_t cols) {
  for (std::int64_t first = 0; first < m.tokens; first += delta_block) {
    const std::int64_t rows = m.tokens - first < delta_block ? m.tokens - first : delta_block;
    float* block = s.fresh + first * cols;
    gemm({.a = s.lower + first * chunk_tokens,
          .a_row = chunk_tokens,
          .b = s.fresh,
          .b_row = cols,
          .c = s.right,
          .c_row = cols,
          .rows = rows,
          .depth = first,
          .cols = cols,
          .start = block,
          .start_row = cols});
    gemm({.a = s.inverses + first * delta_block,
          .a_row = delta_block,
          .b = s.right,
          .b_row = cols,
          .c = block,
          .c_row = cols,
          .rows = rows,
          .depth = rows,
          .cols = cols});
  }
}

// state <- e^{G_C} state + (exp(G_C - G) K)^T D with (I + L) D = diag(beta) (V - diag(exp G) K
// state); D is left in `fresh`. Solved for D itself: the textbook's W = (I + L)^-1 diag(beta exp G)
// K would be key_dim more columns to solve for. T's columns are the same recurrence with V = 0.
inline void advance_columns(const gated_delta_args& m, const delta_scratch& s,
                            const delta_columns& at, float last_factor) {
  differ_columns(m, s, at);
  solve_columns(m, s, at.cols);
  gemm({.a = s.keys_left,
        .a_row = 1,
        .a_depth = m.key_dim,
        .b = s.fresh,
        .b_row = at.cols,
        .c = at.state,
        .c_row = at.cols,
        .rows = m.key_dim,
        .depth = m.tokens,
        .cols = at.cols,
        .start = at.start == column_start::zero ? nullptr : at.state,
        .start_row = at.cols,
        .scale = last_factor});
}

// out <- exp(G) Q state, of the state before the chunk; nothing where that is zero.
inline void read_state(const gated_delta_args& m, const delta_scratch& s) {
  if (m.state_is_zero) return;
  gemm({.a = s.queries,
        .a_row = m.key_dim,
        .b = m.state,
        .b_row = m.value_dim,
        .c = m.out,
        .c_row = m.out_row,
        .rows = m.tokens,
        .depth = m.key_dim,
        .cols = m.value_dim});
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
          .start = m.state_is_zero ? nullptr : out,
          .start_row = m.out_row});
  }
}

inline void gated_delta_chunk(const gated_delta_args& m) {
  const delta_scratch s(m.scratch, m.key_dim, m.value_dim);
  prepare_chunk(m, s);
  chunk_scores(m, s);
  const float last_factor = weigh_chunk(m, s);
  const auto start = [](bool known, column_start is) { return known ? is : column_start::any; };

  // Outputs need the state before the chunk, and D, which advance_columns leaves behind.
  read_state(m, s);
  advance_columns(
      m, s,
      {.state = m.state, .cols = m.value_dim, .start = start(m.state_is_zero, column_start::zero)},
      last_factor);
  add_chunk_outputs(m, s);
  if (m.alone != nullptr)
    advance_columns(
        m, s,
        {.state = m.alone, .cols = m.value_dim, .start = start(m.entry_begins, column_start::zero)},
        last_factor);
  if (m.transition != nullptr)
    advance_columns(m, s,
                    {.state = m.transition,
                     .cols = m.key_dim,
                     .start = start(m.entry_begins, column_start::identity),
                     .with_values = false},
                    last_factor);
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
