// A step plan laid out as one packed batch: which row is which token, where its keys go, what each
// sequence does in which order.
//
// Prefill rows come first, in the plan's order (isolated sequences, then contexts), decode rows
// after them. Laying out also moves every sequence on: positions, spans and entries' token counts
// are those after the step.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <variant>
#include <vector>

#include "gpu/door/step_plan.hpp"
#include "gpu/host/kernel_table.hpp"

namespace weft::gpu {

struct batch_sequence;

struct batch_run {
  std::int64_t first_row = 0;
  std::int64_t tokens = 0;
  std::int64_t position = 0;  // Of the first token.
  row_class kind = row_class::prefill;
  std::size_t index = 0;  // Among all runs of the batch.
  const run_tokens* source = nullptr;
};

struct batch_splice {
  const entry* what = nullptr;
  bool apply_transition = true;
};

struct batch_restore {
  const entry* what = nullptr;
};

struct batch_begin {
  entry* what = nullptr;
  bool with_transition = true;
};

struct batch_end {
  entry* what = nullptr;
};

// Rows of one run that a thread takes at a time.
struct batch_part {
  const batch_run* run = nullptr;
  std::int64_t first = 0;  // In the run.
  std::int64_t tokens = 0;
};

// Consecutive rows of one sequence at consecutive positions, of one run or of several: a segment's
// tail and the next one's head stand side by side.
struct batch_stretch {
  const batch_sequence* sequence = nullptr;
  std::int64_t first_row = 0;
  std::int64_t position = 0;
  std::int64_t tokens = 0;
};

using batch_work = std::variant<batch_run, batch_splice, batch_restore, batch_begin, batch_end>;

struct batch_sequence {
  sequence* target = nullptr;
  bool starts_at_zero = false;       // No work before this step: the slot's memory is stale.
  entry* building_before = nullptr;  // An entry begun in an earlier step.
  std::span<batch_work> work;
  std::span<span_view> spans;  // After the step.
};

// Consecutive rows of the batch.
struct row_range {
  std::int64_t first = 0;
  std::int64_t rows = 0;
};

// Move-only: its parts point at each other.
struct step_batch {
  step_batch() = default;
  step_batch(step_batch&&) = default;
  step_batch& operator=(step_batch&&) = default;

  std::vector<batch_sequence> isolated;
  std::vector<batch_sequence> context;
  std::vector<batch_work> work;  // Of all sequences, one after the other.
  std::vector<span_view> spans;  // Likewise.
  std::int64_t prefill_rows = 0;
  std::int64_t decode_rows = 0;
  std::size_t runs = 0;
  // Rows whose logits somebody asks for: of the last layer nobody needs more than those, and the
  // keys and states of all. All rows where that would be many small ranges.
  std::vector<row_range> read_ranges;
  std::vector<const batch_run*> row_order;  // All runs, by their rows.
  std::vector<batch_part> parts;            // Of all runs, in order.
  std::vector<batch_stretch> stretches;     // Of all rows, in order.
  token_ids tokens;                         // Per row.
  std::vector<std::int64_t> positions;      // Per row.
  std::vector<std::int32_t> key_pages;      // Per row: where K and V go.
  std::vector<std::int32_t> key_slots;
  std::int64_t positions_end = 0;  // Beyond the largest position that any angle is needed for.

  std::int64_t rows() const { return prefill_rows + decode_rows; }
  // Calls f(batch_sequence&) for isolated sequences, then contexts.
  template <class Function>
  void each(Function f) {
    for (batch_sequence& one : isolated) f(one);
    for (batch_sequence& one : context) f(one);
  }
};

// Makes `batch` that of `plan`, in the memory that it has: nothing is allocated where it has held a
// batch as large. Requires: a plan as door/step_plan.hpp describes it; `plan` outlives the batch's
// use. `conv_rows_max`: conv_kernel - 1.
void lay_out(const step_plan& plan, std::int64_t conv_rows_max, step_batch& batch);

}  // namespace weft::gpu
