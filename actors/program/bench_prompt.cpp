#include "actors/program/bench_prompt.hpp"

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {

std::int64_t tokens_of(const bench_prompt& prompt) {
  return bench_lead_tokens + prompt.segments * prompt.segment_tokens + prompt.question_tokens;
}

prompt_draws::prompt_draws(std::int64_t vocabulary, std::uint64_t seed)
    : vocabulary_(static_cast<std::uint64_t>(vocabulary)), random_(seed) {
  WEFT_ASSERT(vocabulary > 0);
}

request_segment prompt_draws::segment(std::int64_t tokens) {
  request_segment drawn;
  drawn.tokens.resize(static_cast<std::size_t>(tokens));
  for (token_id& id : drawn.tokens) id = static_cast<token_id>(random_() % vocabulary_);
  return drawn;
}

std::vector<request_segment> prompt_draws::prompt(const bench_prompt& of) {
  std::vector<request_segment> segments = {segment(bench_lead_tokens)};
  for (std::int64_t i = 0; i < of.segments; ++i) segments.push_back(segment(of.segment_tokens));
  segments.push_back(segment(of.question_tokens));
  return segments;
}

}  // namespace weft::actors
