// What `weft bench` measures: times and rates of one session on random prompts.
//
// Every prompt is drawn afresh, so that cold is cold whatever the cache holds. Times are wall
// clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <span>
#include <vector>

#include "actors/session/session.hpp"

namespace weft::actors {

struct bench_prompt {
  std::int64_t segments = 16;
  std::int64_t segment_tokens = 512;
  std::int64_t question_tokens = 64;
};

inline constexpr std::int64_t bench_lead_tokens = 32;  // deploy/docs/formats.md.

// Tokens of the whole prompt, lead and question too.
std::int64_t tokens_of(const bench_prompt& prompt);

struct spread {
  double median = 0;
  double least = 0;
  double most = 0;
};

// Requires: values are not empty. The median of an even number is the mean of the middle two.
spread spread_of(std::vector<double> values);

struct first_token_times {
  std::optional<spread> cold;
  std::optional<spread> warm;
  std::optional<spread> warm_splice;  // The part of a warm prefill spent in jumps.
  std::int64_t warm_reused_tokens = 0;
};

class bench_runs {
 public:
  // Called once per finished measurement, for a progress bar.
  using tick = std::function<void()>;

  bench_runs(session& on, std::uint64_t seed, tick done);

  // Milliseconds to the first token of `runs` fresh prompts, cold and (where the mode reuses
  // anything) once more, warm.
  result<first_token_times> first_token(reuse_mode mode, const seam& used,
                                        const bench_prompt& prompt, std::int64_t runs);

  // Prompt tokens a second of `runs` prompts of one segment in full recomputation; the median.
  result<double> prefill_rate(std::int64_t prompt_tokens, std::int64_t runs);

  // New tokens a second, all of `batch` requests together, once every one has its first token.
  result<double> decode_rate(std::int64_t batch);

  // A small prompt whose times nobody reads: memory is touched and code is loaded once.
  status warm_up(reuse_mode mode, const seam& used);

 private:
  std::vector<request_segment> draw(const bench_prompt& prompt);
  token_ids draw_tokens(std::int64_t count);

  session* on_;
  std::mt19937_64 random_;
  tick done_;
};

}  // namespace weft::actors
