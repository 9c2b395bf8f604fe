#include "gpu/host/read_out.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "gpu/door/sampling.hpp"

namespace weft::gpu {
namespace {

bool is_last(const wanted_row& at) {
  return at.offset + 1 == static_cast<std::int64_t>(at.run->tokens.size());
}

token_id target_of(const wanted_row& at) {
  return at.run->targets.empty() ? -1 : at.run->targets[static_cast<std::size_t>(at.offset)];
}

void collect(const batch_sequence& one, sequence_outcome& outcome,
             std::vector<wanted_row>& wanted) {
  for (const batch_work& work : one.work) {
    const auto* run = std::get_if<batch_run>(&work);
    if (run == nullptr) continue;
    const bool want_last = run->source->draw.has_value() || run->source->want_logits;
    for (std::int64_t i = 0; i < run->tokens; ++i) {
      const wanted_row row{.row = run->first_row + i,
                           .position = run->position + i,
                           .run = run->source,
                           .offset = i,
                           .outcome = &outcome};
      if (target_of(row) >= 0 || (want_last && is_last(row))) wanted.push_back(row);
    }
  }
}

void take_logits(const wanted_row& at, std::span<const float> logits, draw_memory& memory) {
  sequence_outcome& outcome = *at.outcome;
  if (!std::all_of(logits.begin(), logits.end(),
                   [](float value) { return std::isfinite(value); })) {
    if (!outcome.error)
      outcome.error = broken("the logits at position " + std::to_string(at.position) +
                             " are not finite: weights or a cached entry hold NaN or infinity");
    return;
  }
  if (target_of(at) >= 0)
    outcome.scores.push_back({.position = at.position,
                              .log_probability = log_probability(logits, target_of(at)),
                              .best = largest_logit(logits)});
  if (!is_last(at)) return;
  if (at.run->want_logits) outcome.logits.assign(logits.begin(), logits.end());
  if (at.run->draw) outcome.token = draw_token(logits, *at.run->draw, memory);
}

void read_rows(const host_model& model, step_context& step) {
  const std::vector<wanted_row>& wanted = step.space.wanted;
  std::vector<float>& logits = step.space.logits;
  const auto vocabulary = static_cast<std::size_t>(model.shape().vocabulary);
  const auto block = static_cast<std::size_t>(host_model::read_out_rows_max);
  for (std::size_t first = 0; first < wanted.size(); first += block) {
    const std::size_t end = std::min(wanted.size(), first + block);
    std::vector<std::int64_t>& rows = step.space.read_rows;
    rows.clear();
    for (std::size_t i = first; i < end; ++i) rows.push_back(wanted[i].row);
    model.read_out(step, rows, logits);
    for (std::size_t i = first; i < end; ++i)
      take_logits(wanted[i], std::span(logits).subspan((i - first) * vocabulary, vocabulary),
                  step.space.draw);
  }
}

}  // namespace

void read_outcomes(const host_model& model, step_context& step, const step_plan& plan,
                   step_outcome& outcome) {
  const stopwatch watch(step.times.matrix_ms);
  std::vector<wanted_row>& wanted = step.space.wanted;
  wanted.clear();
  for (std::size_t i = 0; i < plan.isolated.size(); ++i)
    collect(step.batch.isolated[i], outcome.isolated[i], wanted);
  for (std::size_t i = 0; i < plan.context.size(); ++i)
    collect(step.batch.context[i], outcome.context[i], wanted);
  read_rows(model, step);
}

}  // namespace weft::gpu
