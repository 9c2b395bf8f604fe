// Drawing the next token from logits: greedy, temperature, top-k, top-p.
//
// The random number is Philox 4x32 with ten rounds (Salmon et al. 2011), key = seed, counter =
// index of the new token: no state, so any batch on any engine draws the same one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/door/step_plan.hpp"

namespace weft::gpu {

// A number in [0, 1) with 53 random bits, a function of (seed, index) alone.
double random_unit(std::uint64_t seed, std::uint64_t index);

// `rejected` for a negative or infinite temperature, top_k < 0, or top_p outside (0, 1].
status check_sampling(const sampling& wanted);

// Working memory of draw_token: it grows to the largest vocabulary seen and stays.
struct draw_memory {
  struct candidate {
    float logit = 0;
    token_id id = 0;
  };
  std::vector<candidate> candidates;
  std::vector<double> weights;
};

// The token drawn. Temperature 0, or a temperature that underflows the choice, takes the largest
// logit, the lowest id among equals. Otherwise logits / temperature are cut to the top_k largest,
// then to the shortest prefix of the sorted rest whose probability reaches top_p, and drawn from.
// Requires: logits finite and not empty.
token_id draw_token(std::span<const float> logits, const sampling& how, draw_memory& memory);

// The id of the largest logit, the lowest among equals.
token_id largest_logit(std::span<const float> logits);

// log(softmax(logits)[target]), in double.
double log_probability(std::span<const float> logits, token_id target);

}  // namespace weft::gpu
