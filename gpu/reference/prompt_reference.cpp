#include "gpu/reference/prompt_reference.hpp"

#include <cmath>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu::reference {
namespace {

// A prompt under way.
class prompt {
 public:
  explicit prompt(const model_reference& model) : model_(model) {
    result_.last = model.make_context();
  }

  void run(std::span<const token_id> tokens) {
    const std::int64_t first = result_.last.tokens;
    const matrix rows = model_.run(result_.last, tokens);
    for (std::int64_t t = 0; t < rows.rows(); ++t) {
      result_.positions.push_back(first + t);
      result_.rows.append_row(rows.row(t));
    }
  }

  void splice(const token_ids& segment, const splice_plan& plan) {
    const std::span<const token_id> tokens = segment;
    run(tokens.first(static_cast<std::size_t>(plan.head_tokens)));
    const entry made = isolate(model_, segment, plan);
    model_.splice(result_.last, made, plan.how);
    result_.spliced_tokens += made.tokens;
    run(tokens.last(static_cast<std::size_t>(plan.tail_tokens)));
  }

  prompt_result finish() {
    WEFT_ASSERT(!result_.positions.empty() && result_.positions.back() + 1 == result_.last.tokens);
    matrix last_row;
    last_row.append_row(result_.rows.row(result_.rows.rows() - 1));
    const matrix logits = model_.logits(last_row);
    result_.logits.assign(logits.values().begin(), logits.values().end());
    return std::move(result_);
  }

 private:
  const model_reference& model_;
  prompt_result result_;
};

}  // namespace

prompt_result run_full(const model_reference& model, const std::vector<token_ids>& segments) {
  prompt under_way(model);
  for (const token_ids& segment : segments) under_way.run(segment);
  return under_way.finish();
}

prompt_result run_spliced(const model_reference& model, const std::vector<token_ids>& segments,
                          const splice_plan& plan) {
  prompt under_way(model);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const auto tokens = static_cast<std::int64_t>(segments[i].size());
    const bool document = i != 0 && i + 1 != segments.size();
    if (document && tokens > plan.head_tokens + plan.tail_tokens) {
      under_way.splice(segments[i], plan);
    } else {
      under_way.run(segments[i]);
    }
  }
  return under_way.finish();
}

entry isolate(const model_reference& model, const token_ids& segment, const splice_plan& plan) {
  const std::span<const token_id> tokens = segment;
  const auto head = static_cast<std::size_t>(plan.head_tokens);
  const auto tail = static_cast<std::size_t>(plan.tail_tokens);
  context alone = model.make_context();
  model.run(alone, plan.anchor);
  model.run(alone, tokens.first(head));
  entry made = model.make_entry(alone);
  model.run(alone, tokens.subspan(head, tokens.size() - head - tail), &made);
  return made;
}

double state_norm(const context& where, std::size_t layer) {
  double squares = 0;
  for (const matrix& state : std::get<linear_memory>(where.layers[layer]).states) {
    squares += dot(state.values(), state.values());
  }
  return std::sqrt(squares);
}

}  // namespace weft::gpu::reference
