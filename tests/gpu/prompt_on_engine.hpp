// A prompt put on an engine by hand, through the door alone: what a session does, without its
// cache.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "gpu/host/host_engine.hpp"
#include "policies/vocabulary/mode.hpp"

namespace weft::gpu {

struct prompt_on_engine_options {
  seam cut{.head_tokens = 8, .tail_tokens = 16};
  bool splices = true;  // False: every segment in context.
  bool apply_transition = true;
  bool turn_keys = true;
  token_ids anchor = {};
  std::int64_t new_tokens_max = 32;
  std::function<void(const sequence&)> look = {};  // Called with the context after the prompt.
  std::int64_t cut_tokens =
      0;  // Cut runs into steps of at most this many tokens; 0: one step a run.
};

struct prompt_result {
  std::vector<float> logits;  // Of the last prompt token.
  token_ids generated;        // Greedy, end token left out.
};

// Entries by segment index, made by one prompt and given to the next.
using entry_shelf = std::vector<std::shared_ptr<const entry>>;

// Runs `segments` (lead, documents, question). Entries found on `shelf` are spliced as they are,
// others are made and put there. Asserts (Catch2) that the engine never fails.
prompt_result run_prompt(engine& on, const std::vector<token_ids>& segments,
                         const prompt_on_engine_options& options, entry_shelf& shelf);

// The bundled checkpoint on a host engine.
std::unique_ptr<host_engine> bundled_engine(const engine_options& options = {});

}  // namespace weft::gpu
