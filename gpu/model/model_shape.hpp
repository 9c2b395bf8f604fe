// The sizes of a hybrid model: which layers are linear and which are full attention, and how large
// each part is. Read from config.json by gpu/checkpoint; everything else in `gpu` reads only this.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "policies/vocabulary/token.hpp"

namespace weft::gpu {

enum class layer_kind : std::uint8_t { linear, attention };

// A layer's feed-forward: one for all tokens, or some of many experts for each.
enum class feed_kind : std::uint8_t { dense, sparse };

// Gated softmax attention with grouped heads and partial rotary embedding (deploy/docs/formulas.md
// A.4).
struct attention_shape {
  std::int64_t heads = 0;
  std::int64_t key_value_heads = 0;
  std::int64_t head_dim = 0;
  std::int64_t rotary_dim = 0;  // The first dimensions of a head that are rotated; even.
  double rope_theta = 10000.0;
};

// Gated delta net (deploy/docs/formulas.md A.5): per value head a state of key_dim x value_dim.
struct gated_delta_shape {
  std::int64_t key_heads = 0;
  std::int64_t value_heads = 0;  // A multiple of key_heads.
  std::int64_t key_dim = 0;
  std::int64_t value_dim = 0;
  std::int64_t conv_kernel = 4;  // 2 to 8.
  // How files keep the input projections: one tensor each, or Qwen3-Next's two, whose rows are
  // grouped by key head. Only gpu/checkpoint looks at it.
  bool grouped_projections = false;

  // Channels of the convolution: all query heads, all key heads, all value heads.
  std::int64_t conv_channels() const { return 2 * key_heads * key_dim + value_heads * value_dim; }
};

// Mixture of experts (deploy/docs/formulas.md A.6).
struct sparse_shape {
  std::int64_t experts = 0;
  std::int64_t experts_per_token = 0;    // At most `experts`.
  std::int64_t intermediate = 0;         // Of one expert.
  std::int64_t shared_intermediate = 0;  // Of the expert that every token visits; 0: there is none.
  bool renormalise = true;               // The chosen experts' weights are made to sum to 1.
};

struct model_shape {
  std::string architecture;  // config.json's model_type.
  std::int64_t vocabulary = 0;
  std::int64_t hidden = 0;
  std::int64_t intermediate = 0;  // Of dense layers; 0 where all are sparse.
  std::vector<layer_kind> layers;
  std::vector<feed_kind> feeds;  // By layer; empty: all dense.
  attention_shape attention;
  gated_delta_shape linear;
  sparse_shape sparse;
  double norm_epsilon = 1e-6;
  bool tied_embeddings = false;
  std::int64_t positions_max = 0;
  token_ids end_tokens;  // config.json's and generation_config.json's, without repeats.

  std::int64_t linear_layers() const;
  std::int64_t attention_layers() const;
  std::int64_t sparse_layers() const;
  feed_kind feed_of(std::size_t layer) const;
};

// Bytes of what an entry holds, fp32. `tokens`: those stored, without head and tail.
struct entry_bytes {
  std::int64_t state = 0;       // S of all linear layers
  std::int64_t transition = 0;  // T of all linear layers
  std::int64_t convolution = 0;
  std::int64_t keys_values = 0;
  std::int64_t total() const { return state + transition + convolution + keys_values; }
};
entry_bytes bytes_per_entry(const model_shape& shape, std::int64_t tokens);

}  // namespace weft::gpu
