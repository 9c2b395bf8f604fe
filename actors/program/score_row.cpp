#include "actors/program/score_row.hpp"

namespace weft::actors {
namespace {

// Per prompt token: did it (or would it, were its entry cold or warm alike) run in context?
std::vector<bool> in_context(const answer& from, const seam& used, bool splices) {
  std::vector<bool> context;
  for (const receipt& each : from.receipts) {
    const bool is_entry = splices && each.what != verdict::context;
    const bool has_seam = is_entry && each.role != segment_role::lead;
    for (std::int64_t i = 0; i < each.tokens; ++i)
      context.push_back(
          !is_entry || (has_seam && (i < used.head_tokens || i >= each.tokens - used.tail_tokens)));
  }
  return context;
}

}  // namespace

score_row row_of(const answer& from, const seam& used, bool splices) {
  const std::vector<bool> context = in_context(from, used, splices);
  score_row row;
  row.tokens.resize(context.size());
  for (const gpu::token_score& score : from.scores) {
    // A row at a position tells of the token after it.
    const auto place = static_cast<std::size_t>(score.position + 1);
    if (score.position < 0 || place >= context.size()) continue;
    if (!context[place] || !context[place - 1]) continue;
    row.tokens[place] = {.log_probability = score.log_probability, .best = score.best};
  }
  return row;
}

}  // namespace weft::actors
