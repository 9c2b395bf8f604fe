// A gated softmax attention layer in double, in the order of deploy/docs/formulas.md A.4.
#pragma once

#include "gpu/model/model_weights.hpp"
#include "gpu/reference/matrix.hpp"

namespace weft::gpu::reference {

// What a running context keeps of one attention layer: all that its queries see, in order.
struct attention_memory {
  matrix keys;    // [tokens, key_value_heads * head_dim], normed and rotated.
  matrix values;  // The same shape.
};

// What an entry keeps: the same, with keys not rotated, so that a splice may choose the position.
struct attention_record {
  matrix keys;
  matrix values;
};

class attention_layer {
 public:
  attention_layer(const model_shape& shape, const gated_attention_weights& weights);

  // The layer's output for the normed rows `x`, which stand at `position`, `position` + 1, ...
  matrix forward(const matrix& x, std::int64_t position, attention_memory& memory,
                 attention_record* record) const;

  // The entry's keys become visible, rotated to `position` and those after it.
  void splice(attention_memory& memory, const attention_record& record,
              std::int64_t position) const;

 private:
  void attend(std::span<const double> query, std::int64_t head, const attention_memory& memory,
              std::span<double> out) const;
  void rotate_heads(std::span<double> row, std::int64_t position) const;

  attention_shape shape_;
  double epsilon_;
  matrix query_gate_, key_, value_, out_, query_norm_, key_norm_;
};

}  // namespace weft::gpu::reference
