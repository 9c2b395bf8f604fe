// All that one call of `weft bench` found out, and the run through its plan.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "actors/program/bench_plan.hpp"
#include "actors/program/bench_reuse.hpp"
#include "actors/program/loaded_model.hpp"

namespace weft::actors {

// Times to first token of one prompt shape.
struct prompt_results {
  bench_prompt prompt;
  std::map<reuse_mode, first_token_times> first_token;
  std::int64_t entry_bytes = 0;  // Of one segment's entry in mode `stitched`.
};

struct bench_results {
  std::vector<prompt_results> prompts;     // As the plan orders them; times only where measured.
  std::map<std::int64_t, spread> prefill;  // Tokens a second by prompt length.
  std::map<std::int64_t, spread> decode;   // Tokens a second by batch.
  std::optional<spread> transition_share;
  std::vector<reuse_line> reuse;
};

// Measures all of `plan` with `model`. `seam_for`: the seam of each mode. `done` hears the part at
// work, runs_in(plan) times. A prompt that cannot run fails before anything is measured.
result<bench_results> measure(const bench_plan& plan, const loaded_model& model, std::uint64_t seed,
                              const std::function<seam(reuse_mode)>& seam_for,
                              const std::function<void(const std::string& part)>& done);

}  // namespace weft::actors
