// The options that mean the same in every word (deploy/docs/formats.md), as tables to build words
// from.
#pragma once

#include <initializer_list>
#include <vector>

#include "actors/program/options.hpp"
#include "gpu/door/engine.hpp"
#include "gpu/door/step_plan.hpp"
#include "policies/eviction/eviction_policy.hpp"
#include "policies/vocabulary/mode.hpp"

namespace weft::actors {

option_rule model_option();     // --model, required
option_rule json_option();      // --json
option_rule progress_option();  // --no-progress
option_rule special_option();   // --special

// --mode. `fallback`: the word's default; empty where a word has a default of several.
option_rule mode_option(std::string_view fallback, bool repeatable);

// --device, --threads, --instructions, --cache-bytes, --eviction, --positions-max,
// --step-tokens-max
std::vector<option_rule> engine_option_rules();

// --head-tokens, --tail-tokens, --profile, --no-anchor
std::vector<option_rule> reuse_option_rules();

// --temperature, --top-k, --top-p, --seed, --max-tokens
std::vector<option_rule> sampling_option_rules();

// One table out of several, in order.
std::vector<option_rule> join_rules(std::initializer_list<std::vector<option_rule>> tables);

// What the options of `engine_option_rules` say; `unavailable` for a device that this build lacks.
result<gpu::engine_options> engine_options_of(const options& given);

eviction_policy eviction_of(const options& given);

// The seam that `mode` shall use: the profile's, cut to the mode, with --head-tokens and
// --tail-tokens in place of its parts. Zero where the mode makes no entries to splice.
seam seam_of(const options& given, reuse_mode mode, const seam& profile);

gpu::sampling sampling_of(const options& given);

// The modes named, or `fallback` when none is.
std::vector<reuse_mode> modes_of(const options& given, std::vector<reuse_mode> fallback);

}  // namespace weft::actors
