// Where each linear layer's pieces lie in a state slot and in a transition slot; the one place that
// computes these offsets.
//
//   state slot       per linear layer: S [value_heads, key_dim, value_dim], then the last
//                    conv_kernel - 1 raw convolution rows [conv_kernel - 1, conv_channels], newest
//                    last
//   transition slot  per linear layer: T [value_heads, key_dim, key_dim]
#pragma once

#include "gpu/model/model_shape.hpp"

namespace weft::gpu {

class state_layout {
 public:
  explicit state_layout(const model_shape& shape)
      : linear_(shape.linear), layers_(shape.linear_layers()) {}

  std::int64_t head_state_floats() const { return linear_.key_dim * linear_.value_dim; }
  std::int64_t head_transition_floats() const { return linear_.key_dim * linear_.key_dim; }
  std::int64_t conv_floats() const { return (linear_.conv_kernel - 1) * linear_.conv_channels(); }

  std::int64_t state_slot_floats() const { return layers_ * layer_floats(); }
  std::int64_t transition_slot_floats() const {
    return layers_ * linear_.value_heads * head_transition_floats();
  }

  std::int64_t state(std::int64_t layer, std::int64_t head) const {
    return layer * layer_floats() + head * head_state_floats();
  }
  std::int64_t conv(std::int64_t layer) const {
    return layer * layer_floats() + linear_.value_heads * head_state_floats();
  }
  std::int64_t transition(std::int64_t layer, std::int64_t head) const {
    return (layer * linear_.value_heads + head) * head_transition_floats();
  }

 private:
  std::int64_t layer_floats() const {
    return linear_.value_heads * head_state_floats() + conv_floats();
  }

  gated_delta_shape linear_;
  std::int64_t layers_;
};

}  // namespace weft::gpu
