// A whole Qwen3.5 or Qwen3-Next text model in double: the judge of every engine.
//
// It knows contexts (a run of tokens and what it leaves behind) and entries (what is kept of a
// segment); prompt_reference builds prompts from them. Weights are copied and widened once, so the
// model_weights may go. Threads: any number may read one model.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "gpu/model/model_weights.hpp"
#include "gpu/reference/attention_layer.hpp"
#include "gpu/reference/feed_forward.hpp"
#include "gpu/reference/gated_delta_layer.hpp"
#include "gpu/reference/matrix.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::gpu::reference {

// A running context: what its tokens left in every layer, and the position of the next token.
struct context {
  std::int64_t tokens = 0;
  std::vector<std::variant<linear_memory, attention_memory>> layers;
};

// What is kept of a run of tokens (ARCHITECTURE.md, "The entry").
struct entry {
  std::int64_t tokens = 0;
  std::int64_t local_begin = 0;  // Position of its first token in the pass that made it.
  std::vector<std::variant<linear_record, attention_record>> layers;
};

struct splice_options {
  bool apply_transition = true;  // False: S + S_C, the classic mistake.
  bool turn_keys = true;         // False: keys stay at their local positions.
};

class model_reference {
 public:
  explicit model_reference(const model_weights& weights);

  const model_shape& shape() const { return shape_; }

  context make_context() const;
  // Empty; its tokens will follow those of `behind`.
  entry make_entry(const context& behind) const;

  // Runs `tokens` in `where`; the result's rows are the last layer's outputs behind the final norm,
  // [tokens, hidden]. A `record` (may be null) takes the tokens in.
  matrix run(context& where, std::span<const token_id> tokens, entry* record = nullptr) const;

  // `where` jumps over `what`.
  void splice(context& where, const entry& what, const splice_options& options) const;

  // Logits of rows that `run` gave, [rows, vocabulary].
  matrix logits(const matrix& rows) const;

 private:
  struct layer {
    matrix input_norm, post_norm;
    std::variant<gated_delta_layer, attention_layer> mixer;
    std::variant<dense_feed_forward, sparse_feed_forward> feed;
  };

  matrix mix(std::size_t index, const matrix& x, context& where, entry* record) const;

  model_shape shape_;
  matrix embedding_, final_norm_, head_;
  std::vector<layer> layers_;
};

}  // namespace weft::gpu::reference
