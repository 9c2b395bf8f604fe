// The prompts of a bench: a lead, segments and a question, all of random tokens.
//
// Every draw is another, so that what was not asked for twice is cold whatever the cache holds.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "actors/session/session.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::actors {

struct bench_prompt {
  std::int64_t segments = 16;
  std::int64_t segment_tokens = 512;
  std::int64_t question_tokens = 64;
};

inline constexpr std::int64_t bench_lead_tokens = 32;  // deploy/docs/formats.md.

// Tokens of the whole prompt, lead and question too.
std::int64_t tokens_of(const bench_prompt& prompt);

class prompt_draws {
 public:
  // `vocabulary`: ids lie below it, at least 1. Equal seeds draw equal prompts.
  prompt_draws(std::int64_t vocabulary, std::uint64_t seed);

  request_segment segment(std::int64_t tokens);

  // Lead, segments, question.
  std::vector<request_segment> prompt(const bench_prompt& of);

 private:
  std::uint64_t vocabulary_;
  std::mt19937_64 random_;
};

}  // namespace weft::actors
