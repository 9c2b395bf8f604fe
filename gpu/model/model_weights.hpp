// A model's tensors by their role, as views into mapped checkpoint files (or generated memory).
//
// Shapes were checked against the `model_shape` when these were made; an engine may rely on them.
// Views live as long as `storage`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
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
  std::int64_t first = 0;  // Where this is a part of the tensor `name`: its first element there.

  std::int64_t elements() const;
};

// Rows [first, first + count) along the outermost dimension, and the one part `index` of it, which
// has that dimension no more. Without bytes (a tensor that is missing) only the sizes are made.
// Requires: within `from`, where it has bytes.
tensor_view rows_of(const tensor_view& from, std::int64_t first, std::int64_t count);
tensor_view part_of(const tensor_view& from, std::int64_t index);

// A matrix whose rows lie in one or several places: its blocks, one below the other, all of one
// width. So a projection is one matrix to its readers, however files keep its rows.
struct stacked_view {
  std::vector<tensor_view> blocks;

  std::int64_t rows() const;
  std::int64_t elements() const;
};
stacked_view stacked(std::initializer_list<stacked_view> parts);

// Writes `out.size()` elements of `from`, starting at element `first`, as float32.
// Requires: first + out.size() <= from.elements(). Exact for every element type.
void to_float32(const tensor_view& from, std::int64_t first, std::span<float> out);

// The whole matrix, row by row. Requires: out.size() == from.elements().
void to_float32(const stacked_view& from, std::span<float> out);

// Rows of the input projections are in the order of heads, whatever the files' order.
struct gated_delta_weights {
  stacked_view in_qkv;  // [conv_channels, hidden]
  stacked_view in_z;    // [value_heads * value_dim, hidden]
  stacked_view in_b;    // [value_heads, hidden]
  stacked_view in_a;    // [value_heads, hidden]
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

// An expert that every token visits, and the gate that scales what it gives.
struct shared_expert_weights {
  swiglu_weights expert;
  tensor_view gate;  // [1, hidden]
};

struct sparse_weights {
  tensor_view router;  // [experts, hidden]
  std::vector<swiglu_weights> experts;
  std::optional<shared_expert_weights> shared;
};

// One layer: a mixer and a feed-forward, each behind a zero-centred RMS norm. A new family is a new
// alternative here.
struct layer_weights {
  tensor_view input_norm;  // [hidden]
  tensor_view post_norm;   // [hidden]
  std::variant<gated_delta_weights, gated_attention_weights> mixer;
  std::variant<swiglu_weights, sparse_weights> feed_forward;
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

// Calls `take` with every tensor inside `weights`, layer by layer; a tied head is the embedding and
// is not shown twice.
void each_tensor(const model_weights& weights, const std::function<void(const tensor_view&)>& take);

}  // namespace weft::gpu
