// Segment-rotated softmax attention of a block of queries over key blocks in shared pages.
// Only for kernels/kernels.cpp (see simd.hpp).
//
// Row r of the scratch is head r % group of query r / group. Every row walks the same blocks in the
// same order with its own running maximum, so its bits do not depend on the rows beside it: a block
// that a row may not see yet leaves that row's sums as they are.
#pragma once

#include "gpu/host/kernel_table.hpp"
#include "gpu/host/kernels/gated_delta.hpp"
#include "gpu/host/kernels/row_kernels.hpp"
#include "gpu/host/kernels/small_gemm.hpp"
#include "gpu/host/kernels/vector_math.hpp"

namespace weft::gpu::WEFT_ISA {

inline constexpr float minus_infinity = -__builtin_inff();

struct attention_scratch {
  float* queries;  // [rows, D], turned for the span at hand
  float* sums;     // [rows, D], the output before division
  float* scores;   // [rows, P]
  float* maxima;   // [rows]
  float* weights;  // [rows]

  attention_scratch(float* at, std::int64_t rows, std::int64_t head_dim)
      : queries(at),
        sums(at + rows * head_dim),
        scores(at + 2 * rows * head_dim),
        maxima(at + rows * (2 * head_dim + page_tokens)),
        weights(maxima + rows) {}
};

inline void turn_queries(const attention_args& m, const attention_scratch& s, std::int64_t turn) {
  const std::int64_t width = m.pages.head_dim;
  const vec scale = splat(m.scale);
  for (std::int64_t t = 0; t < m.tokens; ++t)
    for (std::int64_t h = 0; h < m.group; ++h) {
      float* row = s.queries + (t * m.group + h) * width;
      rope({.x = m.q + t * m.q_row + h * m.q_head,
            .y = row,
            .width = width,
            .position = m.position + t - turn,
            .rope = m.rope});
      map(row, row, row, width, [scale](vec value, vec) { return mul(value, scale); });
    }
}

// Turns one row of scores into softmax weights against the running maximum, and scales what the row
// gathered so far. `visible`: how many keys of the block the row may see.
inline void soften_row(const attention_scratch& s, std::int64_t row, std::int64_t visible,
                       std::int64_t padded, std::int64_t width) {
  float* scores = s.scores + row * page_tokens;
  for (std::int64_t j = visible; j < padded; ++j) scores[j] = minus_infinity;
  vec top = splat(minus_infinity);
  for (std::int64_t j = 0; j < padded; j += vector_floats) top = max(top, load(scores + j));
  const float before = s.maxima[row];
  const float block = largest(top);
  const float now = before < block ? block : before;
  s.maxima[row] = now;
  const vec shift = splat(now);
  map_chains(scores, scores, scores, padded, [shift](auto& score, auto&) {
#pragma GCC unroll 4
    for (vec& value : score) value = sub(value, shift);
    exp(score);
  });
  vec total = splat(0.0F);
  for (std::int64_t j = 0; j < padded; j += vector_floats) total = add(total, load(scores + j));
  if (before == now) {
    s.weights[row] += sum(total);
    return;
  }
  float shrink[vector_floats] = {before - now};
  store(shrink, exp(load(shrink)));
  s.weights[row] = fma_one(s.weights[row], shrink[0], sum(total));
  const vec factor = splat(shrink[0]);
  float* sums = s.sums + row * width;
  map(sums, sums, sums, width, [factor](vec value, vec) { return mul(value, factor); });
}

// One block of `count` keys, the first at position `first` of the sequence.
inline void attend_block(const attention_args& m, const attention_scratch& s,
                         const key_block& block, std::int64_t first) {
  const std::int64_t width = m.pages.head_dim;
  // Queries before the block see nothing of it, and none sees more than the last one.
  const std::int64_t causal_count = m.position + m.tokens - first;
  const std::int64_t count = causal_count < block.count ? causal_count : block.count;
  const std::int64_t padded = whole_vectors(count);
  const std::int64_t skipped = first > m.position ? first - m.position : 0;
  if (skipped >= m.tokens) return;
  const std::int64_t from = skipped * m.group;
  const std::int64_t rows = m.tokens * m.group - from;
  gemm({.a = s.queries + from * width,
        .a_row = width,
        .b = m.pages.keys(block.page) + block.offset,
        .b_row = page_tokens,
        .c = s.scores + from * page_tokens,
        .c_row = page_tokens,
        .rows = rows,
        .depth = width,
        .cols = padded});
  for (std::int64_t row = from; row < from + rows; ++row) {
    const std::int64_t position = m.position + row / m.group;
    const std::int64_t causal = position - first + 1;
    soften_row(s, row, causal < count ? causal : count, padded, width);
  }
  gemm({.a = s.scores + from * page_tokens,
        .a_row = page_tokens,
        .b = m.pages.values(block.page) + block.offset * width,
        .b_row = width,
        .c = s.sums + from * width,
        .c_row = width,
        .rows = rows,
        .depth = count,
        .cols = width,
        .start = s.sums + from * width,
        .start_row = width});
}

inline void attention(const attention_args& m) {
  const std::int64_t width = m.pages.head_dim;
  const std::int64_t rows = m.tokens * m.group;
  const attention_scratch s(m.scratch, rows, width);
  for (std::int64_t i = 0; i < rows * width; ++i) s.sums[i] = 0.0F;
  for (std::int64_t row = 0; row < rows; ++row) {
    s.maxima[row] = minus_infinity;
    s.weights[row] = 0.0F;
  }
  const std::int64_t last = m.position + m.tokens - 1;
  bool turned = false;
  std::int64_t turn = 0;
  for (std::int64_t i = 0; i < m.span_count && m.spans[i].first <= last; ++i) {
    const span_view& span = m.spans[i];
    if (!turned || span.turn != turn) turn_queries(m, s, span.turn);
    turned = true;
    turn = span.turn;
    std::int64_t first = span.first;
    for (std::int64_t b = 0; b < span.block_count && first <= last; ++b) {
      attend_block(m, s, span.blocks[b], first);
      first += span.blocks[b].count;
    }
  }
  for (std::int64_t t = 0; t < m.tokens; ++t)
    for (std::int64_t h = 0; h < m.group; ++h) {
      const std::int64_t row = t * m.group + h;
      scale_row(s.sums + row * width, 1.0F / s.weights[row], m.out + t * m.out_row + h * m.out_head,
                width);
    }
}

}  // namespace weft::gpu::WEFT_ISA
