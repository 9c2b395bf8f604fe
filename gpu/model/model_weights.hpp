// A model's tensors by their role, as views into mapped checkpoint files (or generated memory).
//
// Shapes were checked against the `model_shape` when these were made; an engine may rely on them.
// Views live as long as `storage`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "gpu/model/element_type.hpp"
#include "gpu/model/model_shape.hpp"

namespace weft::gpu {

struct tensor_view {
  std::string name;
  element_type type = element_type::float32;
  std::vector<std::int64_t> dims;  // Row-major, outermost first.
  std::span<const std::byte> bytes;

  std::int64_t elements() const;
};

// Writes `out.size()` elements of `from`, starting at element `first`, as float32.
// Requires: first + out.size() <= from.elements(). Exact for every element type.
void to_float32(const tensor_view& from, std::int64_t first, std::span<float> out);

// deploy/docs/formulas.md A.2, Qwen3.5 rows.
struct gated_delta_weights {
  tensor_view in_qkv;   // [conv_channels, hidden]
  tensor_view in_z;     // [value_heads * value_dim, hidden]
  tensor_view in_b;     // [value_heads, hidden]
  tensor_view in_a;     // [value_heads, hidden]
  tensor_view conv;     // [conv_channels, 1, conv_kernel]
  tensor_view a_log;    // [value_heads]
  tensor_view dt_bias;  // [value_heads]
  tensor_view norm;     // [value_dim], plain
  tensor_view out;      // [hidden, value_heads * value_dim]
};

struct gated_attention_weights {
  tensor_view query_gate;  // [heads * 2 * head_dim, hidden]: per head query rows, then gate rows
  tensor_view key;         // [key_value_heads * head_dim, hidden]
  tensor_view value;       // [key_value_heads * head_dim, hidden]
  tensor_view out;         // [hidden, heads * head_dim]
  tensor_view query_norm;  // [head_dim], zero-centred
  tensor_view key_norm;    // [head_dim], zero-centred
};

struct swiglu_weights {
  tensor_view gate;  // [intermediate, hidden]
  tensor_view up;    // [intermediate, hidden]
  tensor_view down;  // [hidden, intermediate]
};

// One layer: a mixer and a feed-forward, each behind a zero-centred RMS norm. A new family is a new
// alternative here.
struct layer_weights {
  tensor_view input_norm;  // [hidden]
  tensor_view post_norm;   // [hidden]
  std::variant<gated_delta_weights, gated_attention_weights> mixer;
  std::variant<swiglu_weights> feed_forward;
};

struct model_weights {
  model_shape shape;
  tensor_view embedding;   // [vocabulary, hidden]
  tensor_view final_norm;  // [hidden], zero-centred
  tensor_view head;        // [vocabulary, hidden]; the embedding where they are tied
  std::vector<layer_weights> layers;
  std::shared_ptr<const void>
      storage;  // Keeps the mapped files alive; shared by all copies of the views.
};

}  // namespace weft::gpu
