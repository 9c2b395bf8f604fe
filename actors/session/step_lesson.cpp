#include "actors/session/step_lesson.hpp"

namespace weft::actors {
namespace {

// One chunk: below it tiles are mostly padding.
constexpr std::int64_t prefill_rows_least = gpu::chunk_tokens;
// Decode rows may be this part of the prefill rows. Each may cost as much as several rows of
// prefill, so more of them would show in the time.
constexpr std::int64_t prefill_rows_per_decode_row = 32;

struct step_rows {
  prefill_work prefill;
  std::int64_t prefill_rows = 0;
  std::int64_t decode_rows = 0;
};

void add_rows(const gpu::sequence_step& step, step_rows& sum) {
  std::int64_t position = step.target->tokens;
  for (const gpu::sequence_work& work : step.work) {
    if (const auto* run = std::get_if<gpu::run_tokens>(&work)) {
      const auto rows = static_cast<std::int64_t>(run->tokens.size());
      if (run->kind == gpu::row_class::decode) {
        sum.decode_rows += rows;
      } else {
        sum.prefill_rows += rows;
        sum.prefill += work_of(rows, position);
      }
      position += rows;
    } else if (const auto* jump = std::get_if<gpu::splice_entry>(&work)) {
      position += jump->what->tokens_max;  // Not all are stored yet if this step completes it.
    } else if (const auto* checkpoint = std::get_if<gpu::restore_checkpoint>(&work)) {
      position += checkpoint->what->tokens_max;
    }
  }
}

}  // namespace

std::optional<prefill_work> lesson_of(const gpu::step_plan& plan) {
  step_rows sum;
  for (const auto* steps : {&plan.isolated, &plan.context})
    for (const gpu::sequence_step& step : *steps) add_rows(step, sum);
  if (sum.prefill_rows < prefill_rows_least ||
      sum.prefill_rows < prefill_rows_per_decode_row * sum.decode_rows)
    return std::nullopt;
  return sum.prefill;
}

}  // namespace weft::actors
