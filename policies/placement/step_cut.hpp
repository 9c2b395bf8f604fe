// What runs in the next engine step: decode rows first, then prefill in order of arrival.
//
// A pure decision. A lane is one sequence with prefill left to do; its runs go in order. Long runs
// are cut at grid edges only (multiples of a chunk from the run's start), since a row's bits hang
// on its place in the grid and not on the step that it ran in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace weft {

struct lane_run {
  std::int64_t tokens = 0;               // Left to run. What ran before is a multiple of a chunk.
  std::vector<std::int64_t> needs = {};  // Ids to be given in this step before it starts.
};

struct lane {
  std::vector<lane_run> runs;
  std::optional<std::int64_t> gives = {};  // Id that later lanes may use once all is done.
};

struct step_limits {
  std::int64_t tokens_max = 0;    // Rows of the step.
  std::int64_t chunk_tokens = 0;  // Requires: positive.
};

struct step_cut {
  std::size_t decode_rows = 0;            // How many of the oldest decode rows run.
  std::vector<std::int64_t> lane_tokens;  // Per lane: tokens to run now, from its front.
};

// All decode rows (at most `tokens_max`), then lanes in their order until one of them does not fit.
// While any lane can start, at least one chunk of prefill runs, whatever the limit: decode rows
// must not starve a prompt, nor a small limit stop it.
step_cut cut_step(std::size_t decode_rows, const std::vector<lane>& lanes,
                  const step_limits& limits);

}  // namespace weft
