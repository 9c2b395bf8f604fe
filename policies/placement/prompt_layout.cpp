#include "policies/placement/prompt_layout.hpp"

#include <string>

namespace weft {
namespace {

status check_facts(const prompt_facts& facts) {
  if (facts.segments.empty())
    return rejected("the prompt is empty; give at least one segment with one token");
  std::int64_t left = facts.positions_max;
  std::int64_t tokens = 0;
  for (std::size_t index = 0; index < facts.segments.size(); ++index) {
    if (facts.segments[index].tokens <= 0)
      return rejected("segment " + std::to_string(index) +
                      " has no tokens; leave it out or give it text");
    tokens += facts.segments[index].tokens;
  }
  left -= tokens;
  if (left < 0 || facts.new_tokens_max > left)
    return rejected("the prompt's " + std::to_string(tokens) + " tokens and " +
                    std::to_string(facts.new_tokens_max) + " new ones exceed the limit of " +
                    std::to_string(facts.positions_max) +
                    " positions; shorten the prompt or ask for fewer new tokens");
  return {};
}

segment_role role_of(std::size_t index, std::size_t count) {
  if (index + 1 == count) return segment_role::question;
  return index == 0 ? segment_role::lead : segment_role::document;
}

segment_layout in_context(verdict_reason why) {
  return {.treatment = piece_kind::run, .reason = why};
}

segment_layout as_checkpoint(std::int64_t tokens) {
  return {.treatment = piece_kind::checkpoint, .reused_if_warm = tokens};
}

// `chained`: everything before this segment is a checkpoint, so a chain may go on here.
segment_layout treat(const prompt_facts& facts, segment_role role, const segment_facts& segment,
                     bool chained) {
  if (role == segment_role::question) return in_context(verdict_reason::question);
  const mode_traits& traits = traits_of(facts.mode);
  if (!traits.chains && !traits.splices) return in_context(verdict_reason::mode);
  if (!segment.reusable) return in_context(verdict_reason::not_reusable);
  if (traits.chains)
    return chained ? as_checkpoint(segment.tokens) : in_context(verdict_reason::mode);
  if (role == segment_role::lead) return as_checkpoint(segment.tokens);

  const seam& cut = facts.seams;
  // Written so that a huge seam does not overflow.
  const std::int64_t stored = segment.tokens - cut.head_tokens;
  if (stored <= cut.tail_tokens) return in_context(verdict_reason::seam_only);
  return {.treatment = piece_kind::splice,
          .seam_tokens = cut.head_tokens + cut.tail_tokens,
          .reused_if_warm = stored - cut.tail_tokens};
}

void add_piece(prompt_layout& layout, prompt_piece piece) {
  if (piece.tokens() == 0) return;
  if (piece.kind == piece_kind::run) layout.context_runs.push_back(piece.tokens());
  layout.pieces.push_back(piece);
}

void add_segment(prompt_layout& layout, const segment_layout& segment, const seam& cut) {
  const std::size_t index = layout.segments.size();
  const std::int64_t tokens = segment.tokens;
  const bool spliced = segment.treatment == piece_kind::splice;
  const std::int64_t body_begin = spliced ? cut.head_tokens : 0;
  const std::int64_t body_end = spliced ? tokens - cut.tail_tokens : tokens;
  const auto piece = [&](piece_kind kind, std::int64_t begin, std::int64_t end) {
    add_piece(layout, {.kind = kind,
                       .segment = index,
                       .begin = begin,
                       .end = end,
                       .position = segment.position + begin});
  };
  piece(piece_kind::run, 0, body_begin);
  piece(segment.treatment, body_begin, body_end);
  piece(piece_kind::run, body_end, tokens);
  layout.segments.push_back(segment);
}

}  // namespace

result<prompt_layout> lay_out(const prompt_facts& facts) {
  if (const status checked = check_facts(facts); !checked) return checked.error();
  prompt_layout layout;
  bool chained = true;
  for (std::size_t index = 0; index < facts.segments.size(); ++index) {
    const segment_role role = role_of(index, facts.segments.size());
    segment_layout segment = treat(facts, role, facts.segments[index], chained);
    chained = chained && segment.treatment == piece_kind::checkpoint;
    segment.role = role;
    segment.tokens = facts.segments[index].tokens;
    segment.position = layout.prompt_tokens;
    add_segment(layout, segment, facts.seams);
    layout.prompt_tokens += segment.tokens;
  }
  layout.context_runs.back() += facts.new_tokens_max;
  return layout;
}

}  // namespace weft
