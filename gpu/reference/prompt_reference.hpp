// Prompts of segments, answered by the reference: plain, and spliced as ARCHITECTURE.md says.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/reference/matrix.hpp"
#include "gpu/reference/model_reference.hpp"

namespace weft::gpu::reference {

// How documents become entries and are put back.
struct splice_plan {
  std::int64_t head_tokens = 8;   // Of each document, recomputed in context before the jump.
  std::int64_t tail_tokens = 16;  // The same, after it.
  splice_options how;
  token_ids anchor;  // All anchor segments joined; entries are made behind it. Empty: from zero.
};

struct prompt_result {
  context last;                         // States and keys after the last token.
  std::vector<double> logits;           // Of the last position.
  std::vector<std::int64_t> positions;  // Of all tokens that ran in context, ascending.
  matrix rows;                          // One per position, for model_reference::logits.
  std::int64_t spliced_tokens = 0;
};

// All segments in context, one after the other. Requires: at least one token.
prompt_result run_full(const model_reference& model, const std::vector<token_ids>& segments);

// The first segment and the last run in context; each one between is an entry of its tokens
// [head, n - tail), made alone, spliced between its head and its tail. One with n <= head + tail
// runs in context. Requires: the prompt's last token runs in context.
prompt_result run_spliced(const model_reference& model, const std::vector<token_ids>& segments,
                          const splice_plan& plan);

// The entry of `segment`. Requires: head_tokens + tail_tokens < its length.
entry isolate(const model_reference& model, const token_ids& segment, const splice_plan& plan);

// Frobenius norm of a linear layer's states, all heads together. Requires: a linear layer.
double state_norm(const context& where, std::size_t layer);

}  // namespace weft::gpu::reference
