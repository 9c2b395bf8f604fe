// What one call of `weft bench` shall measure, read from its options and checked before any work.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "actors/program/bench_prompt.hpp"
#include "actors/program/bench_runs.hpp"
#include "actors/program/options.hpp"
#include "policies/vocabulary/mode.hpp"

namespace weft::actors {

enum class bench_part : std::uint8_t {
  time_to_first_token,
  prefill,
  decode,
  transitions,
  reuse_sweep,
};

struct bench_plan {
  std::vector<bench_part> parts;
  std::vector<reuse_mode> modes;      // Each once, in the order asked for.
  std::vector<bench_prompt> prompts;  // Every combination; at least one, the main one first.
  std::vector<std::int64_t> prefill;  // Prompt lengths.
  std::vector<decode_load> decode;    // By batch.
  std::int64_t runs = 3;

  bool has(bench_part part) const;
  const bench_prompt& prompt() const { return prompts.front(); }
};

// The options that say what is measured: parts, prompts, rates, runs, the plot's file.
std::vector<option_rule> bench_plan_rules();

// Why these options make no sense together, as one sentence without a full stop; nothing if they
// do.
std::optional<std::string> contradiction_in(const options& given);

// Requires: no contradiction. `positions_max`: of the model; prefill lengths that nobody asked for
// are left out where they do not fit it.
bench_plan plan_bench(const options& given, std::int64_t positions_max);

// Runs that the whole plan takes, as a progress bar counts them.
std::int64_t runs_in(const bench_plan& plan);

// Will no step be wasted on what cannot run? The first prompt that does not fit, by its failure.
// `seam_for`: the seam of each mode.
status rehearse(const bench_plan& plan, bench_runs& runs,
                const std::function<seam(reuse_mode)>& seam_for);

}  // namespace weft::actors
