// What came of one step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "gpu/door/entry.hpp"
#include "policies/vocabulary/failure.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::gpu {

struct token_score {
  std::int64_t position = 0;   // Of the row in its sequence.
  double log_probability = 0;  // Of the row's target.
  token_id best = 0;           // The row's argmax; the lowest id among equals.
};

struct sequence_outcome {
  // Set: the sequence is unusable, its entry under construction void, and nothing below is there.
  std::optional<failure> error;
  // With an error: the entries that hold NaN or infinity and are to blame for it. They were found
  // so before the step read them, or came out of it so. Empty: the cause is another one. To compare
  // with; the owners of the entries keep them alive.
  std::vector<const entry*> bad_entries;
  std::optional<token_id> token;
  std::vector<float> logits;  // Of the last row, where asked for.
  std::vector<token_score> scores;
};

// Milliseconds of the step by part, for benches and receipts.
struct step_times {
  double total_ms = 0;
  double matrix_ms = 0;
  double linear_ms = 0;
  double splice_ms = 0;  // Jumps over entries; part of linear_ms.
  double attention_ms = 0;
};

struct step_outcome {
  std::vector<sequence_outcome> isolated;  // In the plan's order.
  std::vector<sequence_outcome> context;
  step_times times;
};

}  // namespace weft::gpu
