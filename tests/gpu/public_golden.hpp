// Small checkpoints of random weights in public layouts, and what the public implementation says of
// prompts of ids on them.
#pragma once

#include <string>
#include <vector>

#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::gpu::testing {

struct public_prompt {
  token_ids ids;
  std::vector<double> last_logits;
  token_ids argmax_per_position;
  token_ids generated;  // Greedy, past end tokens.
};

// Names of the folders in tests/data/models.
std::vector<std::string> public_models();

// Its weights, without end tokens. Fails the test if they do not load.
model_weights public_model(const std::string& name);

std::vector<public_prompt> public_prompts(const std::string& name);

}  // namespace weft::gpu::testing
