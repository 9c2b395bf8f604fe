// A gated delta net layer in double, in the order of deploy/docs/formulas.md A.5.
#pragma once

#include <vector>

#include "gpu/model/model_weights.hpp"
#include "gpu/reference/affine.hpp"
#include "gpu/reference/matrix.hpp"

namespace weft::gpu::reference {

// What a running context keeps of one linear layer.
struct linear_memory {
  std::vector<matrix> states;  // One [key_dim, value_dim] per value head.
  matrix history;              // The last conv_kernel - 1 raw rows of in_qkv, or fewer.
};

// What an entry keeps of one linear layer.
struct linear_record {
  std::vector<affine> heads;  // Of the recorded tokens alone.
  matrix rows;                // The last conv_kernel - 1 raw rows of the recorded tokens, or fewer.
};

class gated_delta_layer {
 public:
  gated_delta_layer(const model_shape& shape, const gated_delta_weights& weights);

  linear_memory empty_memory() const;
  linear_record empty_record() const;

  // The layer's output for the normed rows `x`, [tokens, hidden]. `memory` goes on by these tokens;
  // a `record` (may be null) takes them in too.
  matrix forward(const matrix& x, linear_memory& memory, linear_record* record) const;

  // The splice: S <- T S + S_C (or S + S_C), and the entry's rows join the history.
  void splice(linear_memory& memory, const linear_record& record, bool apply_transition) const;

 private:
  matrix convolve(const matrix& raw, const matrix& history) const;
  void remember(matrix& rows, const matrix& more) const;

  gated_delta_shape shape_;
  double epsilon_;
  matrix in_qkv_, in_z_, in_b_, in_a_, conv_, a_log_, dt_bias_, norm_, out_;
};

}  // namespace weft::gpu::reference
