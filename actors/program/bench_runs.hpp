// What `weft bench` measures of one session on random prompts: times to first token and rates.
//
// Times are wall clock.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "actors/program/bench_prompt.hpp"
#include "actors/program/spread.hpp"
#include "actors/session/session.hpp"

namespace weft::actors {

struct first_token_times {
  spread cold;
  std::optional<spread> warm;         // Where the mode reuses anything.
  std::optional<spread> warm_splice;  // The part of a warm prefill spent in jumps.
  std::int64_t warm_reused_tokens = 0;
};

// A batch of equal requests that decode together.
struct decode_load {
  std::int64_t batch = 1;
  std::int64_t prompt_tokens = 64;
  std::int64_t new_tokens = 64;  // Of each, the first included; at least 2.
};

class bench_runs {
 public:
  // Called once per finished run, for a progress bar.
  using tick = std::function<void()>;

  // `on` must outlive this.
  bench_runs(session& on, std::uint64_t seed, tick done);

  // Milliseconds to the first token of `runs` fresh prompts, cold and (where the mode reuses
  // anything) once more, warm.
  result<first_token_times> first_token(reuse_mode mode, const seam& used,
                                        const bench_prompt& prompt, std::int64_t runs);

  // Prompt tokens a second of prompts of one segment in full recomputation.
  result<spread> prefill_rate(std::int64_t prompt_tokens, std::int64_t runs);

  // New tokens a second of the whole batch, greedy, from when all have their first token until the
  // first one is done. `rejected` when the cache does not hold the batch at once.
  result<spread> decode_rate(const decode_load& load, std::int64_t runs);

  // What T adds to a cold prefill: (with - without) / without, of prefills with T and without it in
  // turns, each of a fresh prompt, in a mode that computes T and has no anchor. `used`: that mode's
  // seam.
  result<spread> transition_share(const seam& used, const bench_prompt& prompt, std::int64_t runs);

  // Prompts like `prompt`, but small, whose times nobody reads: memory is touched and code is
  // loaded once.
  status warm_up(reuse_mode mode, const seam& used, const bench_prompt& prompt);

  // Would this prompt run at all? Costs no step. A failure says what does not fit.
  status rehearse(reuse_mode mode, const seam& used, const bench_prompt& prompt);
  status rehearse(std::int64_t prompt_tokens, std::int64_t new_tokens);

 private:
  request ask(reuse_mode mode, const seam& used, const bench_prompt& prompt);
  request ask_whole(std::int64_t prompt_tokens, std::int64_t new_tokens);
  status start_and_cancel(request wanted);
  result<double> decode_once(const decode_load& load);

  session* on_;
  prompt_draws draws_;
  tick done_;
};

// The mode in which `transition_share` measures.
inline constexpr reuse_mode transition_share_mode = reuse_mode::transition_rope_recompute;

// Does the mode reuse anything of an earlier prompt?
bool reuses(reuse_mode mode);

}  // namespace weft::actors
