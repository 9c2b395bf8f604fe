// The bundled checkpoint and the values that other implementations computed for it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::gpu::testing {

struct golden_run {
  std::vector<double> logits;                // Of the last position.
  token_ids generated;                       // Greedy, the end token left out.
  std::map<std::size_t, double> state_norm;  // By linear layer.
};

struct golden_prompt {
  std::string task;
  std::vector<token_ids> segments;
  std::vector<double> reference_logits;    // The public implementation's, on the concatenation.
  std::map<std::string, golden_run> runs;  // "full", "transition_w8", ...
};

std::string tiny_model_folder();

// The weights of tiny-qwen3_5. Fails the test if they do not load.
model_weights tiny_model();

std::vector<golden_prompt> golden_prompts();

// The anchor of weft-anchored.json: its segments tokenized one by one and joined.
token_ids golden_anchor();

// max |a - b|.
double largest_difference(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace weft::gpu::testing
