// What an engine is asked to do in one step: any mix of isolated prefills, splices, questions and
// decode rows, in one packed batch. The plan is complete; inside a step nobody asks upstairs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

#include "gpu/door/sequence.hpp"
#include "gpu/door/step_outcome.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::gpu {

// How the next token is drawn. Temperature 0 is greedy; the random number is a function of
// (seed, index) alone, so that the same token comes out of any batch (deploy/docs/formats.md).
struct sampling {
  double temperature = 0;
  std::int64_t top_k = 0;  // 0: all
  double top_p = 1;
  std::uint64_t seed = 0;
  std::int64_t index = 0;  // Index of the new token, from 0.
};

// Prefill rows run in chunks of `chunk_tokens` from the grid's start, decode rows one by one; their
// bits differ, so a row's class is part of the plan.
enum class row_class : std::uint8_t { prefill, decode };

// Tokens computed in context and appended to the sequence.
struct run_tokens {
  token_ids tokens = {};
  row_class kind = row_class::prefill;
  bool starts_grid =
      true;  // False: goes on with the grid of the run before (a prompt cut at a grid edge).
  // Logits of the last token: sampled from if `draw`, returned if `want_logits`.
  std::optional<sampling> draw = {};
  bool want_logits = false;
  // Per token of the run the id whose log-probability its row shall give, or -1 for none. Empty:
  // none. Rows with a target also give their argmax.
  token_ids targets = {};
};

// The state so far jumps over an entry: S <- T S + S_C, convolution rows appended, keys visible.
struct splice_entry {
  std::shared_ptr<const entry> what =
      {};                        // May be one that an isolated sequence of the same step completes.
  bool apply_transition = true;  // False: S <- S + S_C (mode `addition`).
  bool turn_keys = true;         // False: keys stay at local positions (mode `transition`).
};

// The sequence takes up a checkpoint's state and keys. Requires: the sequence stands where the
// checkpoint began.
struct restore_checkpoint {
  std::shared_ptr<const entry> what;
};

// From here on the sequence's tokens belong to `what`: K and V go to its pages, and for a splice
// entry T starts as the identity.
struct begin_entry {
  std::shared_ptr<entry> what;
  // False: T is not computed, and a splice of the entry drops the state before it. Only to measure
  // what T costs.
  bool with_transition = true;
};

// The entry is complete: a splice entry's S_C is S(now) - T S(begin), or the column that ran from
// zero; a checkpoint keeps S(now).
struct end_entry {};

using sequence_work =
    std::variant<run_tokens, splice_entry, restore_checkpoint, begin_entry, end_entry>;

struct sequence_step {
  sequence* target = nullptr;  // Alive and untouched by the caller until the step is done.
  std::vector<sequence_work> work;
};

// Isolated sequences go first in every layer, so that a context may splice what they complete in
// the same step (a cold segment: isolate, insert, splice, layer by layer).
struct step_plan {
  std::vector<sequence_step> isolated;
  std::vector<sequence_step> context;

  // The outcome of an earlier step, for its memory: what it says is forgotten. Empty: the outcome's
  // vectors are allocated anew.
  step_outcome reused = {};

  std::int64_t rows() const;  // Tokens that run.
};

}  // namespace weft::gpu
