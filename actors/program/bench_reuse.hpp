// Time to first token against how much of a prompt is known from before.
//
// Of K segments 0, a quarter, half, three quarters and all were seen in an earlier prompt, the rest
// are fresh. The known ones stand first, which is the one order that a prefix cache can use; for
// modes that chain the same is measured with the known ones moved, as documents of another question
// would be.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "actors/program/bench_prompt.hpp"
#include "actors/program/spread.hpp"
#include "actors/session/session.hpp"

namespace weft::actors {

// One line of the sweep.
struct reuse_series {
  reuse_mode mode = reuse_mode::stitched;
  bool moved = false;  // Known segments last and in another order, instead of first.

  // "stitched", "prefix_cache moved".
  std::string name() const;
};

struct reuse_point {
  std::int64_t known_segments = 0;
  // Of the prompt's tokens, those in segments of the earlier prompt, the lead among them if any is.
  double known_share = 0;
  std::int64_t reused_tokens = 0;  // What the mode made of it; the last run's.
  spread milliseconds;
};

struct reuse_line {
  reuse_series of;
  std::vector<reuse_point> points;  // From nothing known to all.
};

// The lines that these modes give: one each, a second one for modes that chain.
std::vector<reuse_series> reuse_series_of(const std::vector<reuse_mode>& modes);

// 0, a quarter, half, three quarters and all of `segments`, rounded, each once.
std::vector<std::int64_t> known_counts(std::int64_t segments);

// A prompt after `before` (lead, segments, question) of which `known` segments come from it, and
// the lead if any does; the rest is drawn.
std::vector<request_segment> follow_up(const std::vector<request_segment>& before,
                                       std::int64_t known, bool moved, prompt_draws& draws);

struct reuse_sweep {
  std::vector<reuse_series> series;
  bench_prompt prompt;
  std::int64_t runs = 1;
  std::function<seam(reuse_mode)> seam_for;
};

// Measures all lines in turns, one run of each at a time. Empties the cache before each.
// `done` is called once per run and point.
result<std::vector<reuse_line>> measure_reuse(session& on, const reuse_sweep& sweep,
                                              prompt_draws& draws,
                                              const std::function<void(const reuse_series&)>& done);

}  // namespace weft::actors
