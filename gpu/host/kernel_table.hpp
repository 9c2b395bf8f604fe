// The host kernels of one instruction set, as a table of functions, and the arguments they take.
//
// Letters: T tokens, H heads, D head dimension, P tokens per page, L layers, V vocabulary
// (gpu/README). All tensors are float32, rows contiguous; strides in floats. Kernels run on the
// calling thread, keep nothing, and read or write only what their arguments name. A row's bits
// depend on that row alone. Requires everywhere: pointers valid for the named extents; outputs do
// not alias inputs unless said.
#pragma once

#include <cstdint>

#include "gpu/door/numerics.hpp"
#include "gpu/model/element_type.hpp"

namespace weft::gpu {

// y[t, i] = x[t, i] / sqrt(mean_i(x[t, i]^2) + epsilon) * weight[i]
//   x, y [T, width], y may alias x; weight [width], already 1 + w for zero-centred norms.
// Judge: gpu/reference/model_reference, tests/gpu/kernels_test.
struct rms_norm_args {
  const float* x = nullptr;
  std::int64_t x_row = 0;
  const float* weight = nullptr;
  float* y = nullptr;
  std::int64_t y_row = 0;
  std::int64_t rows = 0;
  std::int64_t width = 0;
  float epsilon = 0;
};

// Causal depthwise convolution and silu: y[c] = silu(sum_j weight[j, c] * taps[j][c]).
//   taps: `kernel` rows of [channels], oldest first, the last is the token itself
//   weight [kernel, channels]
struct conv_args {
  const float* const* taps = nullptr;
  const float* weight = nullptr;
  float* y = nullptr;
  std::int64_t channels = 0;
  int kernel = 0;
};

// x <- x / sqrt(sum x^2 + 1e-6) * scale, in place, for each of `heads` heads of `width` (A.5, step
// 5).
struct l2_norm_args {
  float* x = nullptr;
  std::int64_t heads = 0;
  std::int64_t width = 0;
  float scale = 1;
};

// Gated delta net on one value head, T <= chunk_tokens tokens (deploy/docs/formulas.md G.4), or one
// token at a time for decode (A.5, step 8).
//   q, k        [T, key_dim], rows `token_row` apart; q already scaled, both normalised
//   v           [T, value_dim], rows `token_row` apart
//   gates       one float a token, `gate_row` apart: logs, <= 0; betas likewise
//   state       [key_dim, value_dim], updated in place
//   transition  [key_dim, key_dim], updated in place, or null
//   alone       [key_dim, value_dim], a second state with the same tokens (S from zero), or null
//   out         [T, value_dim], rows `out_row` apart
//   scratch     gated_delta_scratch_floats(key_dim, value_dim)
// The chunk form may be told what it need not multiply by: `state_is_zero`, and `entry_begins`
// (transition is the identity and alone is zero). It reads and writes the matrices all the same.
// Bound: compute, about 2 (3 key_dim value_dim + 64 (key_dim + value_dim)) operations a token.
// Judge: gpu/reference/recurrence, tests/gpu/gated_delta_test, 3e-6 relative.
struct gated_delta_args {
  std::int64_t tokens = 0;
  std::int64_t key_dim = 0;
  std::int64_t value_dim = 0;
  const float* q = nullptr;
  const float* k = nullptr;
  const float* v = nullptr;
  std::int64_t token_row = 0;
  const float* gates = nullptr;
  const float* betas = nullptr;
  std::int64_t gate_row = 0;
  float* state = nullptr;
  float* transition = nullptr;
  float* alone = nullptr;
  bool state_is_zero = false;
  bool entry_begins = false;
  float* out = nullptr;
  std::int64_t out_row = 0;
  float* scratch = nullptr;
};

// Tokens of a block of the chunk form's triangular solve.
constexpr std::int64_t delta_block_tokens = 16;

constexpr std::int64_t gated_delta_scratch_floats(std::int64_t key_dim, std::int64_t value_dim) {
  const std::int64_t wider = key_dim > value_dim ? key_dim : value_dim;
  return chunk_tokens * (4 * key_dim + 3 * chunk_tokens + wider + delta_block_tokens + 2) +
         delta_block_tokens * wider;
}

// state <- transition state + share, for one head (ARCHITECTURE.md, "The splice").
//   state, share [key_dim, value_dim]; transition [key_dim, key_dim], null: state <- state + share
//   where `keep_state`, else state <- share (gates that closed); scratch [key_dim, value_dim]
struct splice_args {
  std::int64_t key_dim = 0;
  std::int64_t value_dim = 0;
  float* state = nullptr;
  const float* transition = nullptr;
  const float* share = nullptr;
  bool keep_state = true;
  float* scratch = nullptr;
};

// share <- state - transition begin, for one head: the identity S_C = S_run(n-r) - T
// S_run(w).
//   begin may be `share` itself; transition null: share <- state.
struct identity_args {
  std::int64_t key_dim = 0;
  std::int64_t value_dim = 0;
  const float* state = nullptr;
  const float* transition = nullptr;
  float* share = nullptr;
  float* scratch = nullptr;
};

// Where one layer and key-value head lies in the page arena.
//   keys   at arena + page * page_floats + offset:                 [D, P]  (transposed: a block of
//   keys is
//                                                                           one row of B in q K^T)
//   values at arena + page * page_floats + offset + D * P:         [P, D]
struct page_view {
  float* arena = nullptr;
  std::int64_t page_floats = 0;
  std::int64_t offset = 0;
  std::int64_t head_dim = 0;

  float* keys(std::int32_t page) const { return arena + page * page_floats + offset; }
  float* values(std::int32_t page) const { return keys(page) + head_dim * page_tokens; }
};

// cos and sin of every position's angles, [positions, rotary_dim / 2] each.
struct rope_view {
  const float* cosines = nullptr;
  const float* sines = nullptr;
  std::int64_t rotary_dim = 0;
};

// A key span (gpu/door/sequence.hpp) as kernels see it.
struct span_view {
  std::int64_t turn = 0;
  std::int64_t first = 0;
  const key_block* blocks = nullptr;
  std::int64_t block_count = 0;
};

// Softmax attention of a block of consecutive queries over the spans of its sequence, keys at the
// positions their spans hold them at: queries are turned, keys are not (ARCHITECTURE.md,
// "Position").
//   q [T, group, D] unrotated, `q_row` apart per token, `q_head` per head; scaled by `scale` inside
//   out [T, group, D] likewise
//   A query at position m sees keys at positions <= m; spans are in order of `first`.
// Online softmax block by block in span order; scratch attention_scratch_floats(T * group, D).
struct attention_args {
  std::int64_t tokens = 0;
  std::int64_t group = 0;
  std::int64_t position = 0;  // Of the first query.
  const float* q = nullptr;
  std::int64_t q_row = 0;
  std::int64_t q_head = 0;
  const span_view* spans = nullptr;
  std::int64_t span_count = 0;
  page_view pages;
  rope_view rope;
  float scale = 1;
  float* out = nullptr;
  std::int64_t out_row = 0;
  std::int64_t out_head = 0;
  float* scratch = nullptr;
};

constexpr std::int64_t attention_scratch_floats(std::int64_t rows, std::int64_t head_dim) {
  return rows * (2 * head_dim + page_tokens + 2);
}

// x[0, rotary_dim) rotated by the angles of `position`, half-split pairs; the rest copied. y may be
// x.
struct rope_args {
  const float* x = nullptr;
  float* y = nullptr;
  std::int64_t width = 0;
  std::int64_t position = 0;
  rope_view rope;
};

// Packs rows of a weight for `product_rows`: panels of kernel_table::panel_cols columns, one behind
// the other, the last padded with zeros.
//   weight  [cols, depth]  bfloat16 or float32, rows contiguous, any alignment
//   packed  ceil(cols / panel_cols) panels of [depth, panel_cols] elements of the same type
struct pack_args {
  const void* weight = nullptr;
  element_type type = element_type::float32;
  void* packed = nullptr;
  std::int64_t depth = 0;
  std::int64_t cols = 0;
};

// y[t, n] = sum_k x[t, k] weight[n, k], the weight as a checkpoint stores it or as pack_rows packs
// it: the bits are the same.
//   x       [T, depth]     float32, rows `x_row` apart
//   weight  [cols, depth]  bfloat16 or float32, rows contiguous, any alignment; or packed
//   y       [T, cols]      float32, rows `y_row` apart
// Bound: compute above some ten rows, memory below.
// Judge: double arithmetic in tests/gpu/matrix_product_test.
struct product_args {
  const float* x = nullptr;
  std::int64_t x_row = 0;
  const void* weight = nullptr;
  element_type type = element_type::float32;
  bool packed = false;
  float* y = nullptr;
  std::int64_t y_row = 0;
  std::int64_t rows = 0;
  std::int64_t depth = 0;
  std::int64_t cols = 0;
};

struct kernel_table {
  void (*rms_norm)(const rms_norm_args&);
  void (*conv_silu)(const conv_args&);
  void (*l2_norm)(const l2_norm_args&);
  void (*gated_delta_chunk)(const gated_delta_args&);
  void (*gated_delta_token)(const gated_delta_args&);
  void (*splice)(const splice_args&);
  void (*identity_share)(const identity_args&);
  void (*attention)(const attention_args&);
  void (*rope)(const rope_args&);
  std::int64_t panel_cols;  // Columns of a panel of packed weights.
  void (*pack_rows)(const pack_args&);
  void (*product_rows)(const product_args&);
  // y <- silu(gate) * up, sigmoid(gate) * x, y + x; elementwise, `count` floats, y may alias an
  // input.
  void (*silu_multiply)(const float* gate, const float* up, float* y, std::int64_t count);
  void (*sigmoid_multiply)(const float* gate, const float* x, float* y, std::int64_t count);
  void (*add)(const float* x, float* y, std::int64_t count);
};

// The table of an instruction set that this processor has. Requires: not `automatic`.
const kernel_table& kernels_of(instruction_set instructions);

}  // namespace weft::gpu
