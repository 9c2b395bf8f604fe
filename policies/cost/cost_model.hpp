// What prefill will cost in milliseconds: a * tokens + b * pairs, learnt from what steps took.
//
// A pure value: `observe` takes a model and one measurement and returns the next model. Per token
// the model is a straight line in pairs / tokens (the mean length that attention sees), so it is
// fitted as one: least squares over all observations, the older ones fading, each step counting the
// same whatever its size, since a relative error matters and not an absolute one.
//
// - *Before the first observation* it holds the prior. Choices between entries hang on the ratio
//   b / a alone, and the prior's was measured; its scale goes with the first observation.
// - *Steps that all look alike* cannot tell a from b. A small weight on the shape known so far
//   decides what the data leaves open.
// - *Outliers.* An observation is bounded to what was predicted, times or by 1.5 (a second one in a
//   row that is off to the same side: 3). One that is off for a reason of its own hardly moves the
//   model. From the third in a row on it is the model that is wrong: the observation counts as it
//   is, and most of the past is forgotten. So a wrong start and a machine that changed its speed
//   are both learnt within some ten steps.
// - *Never NaN.* What is not a usable measurement changes nothing.
#pragma once

#include <cstdint>

#include "policies/cost/prefill_work.hpp"

namespace weft {

struct cost_coefficients {
  // The prior. b / a = 1e-4 is what the bundled checkpoint shows (0.36 ms and 3.4e-5 ms on two AVX2
  // cores): attention to 10,000 tokens costs as much as the rest of a token.
  double token_ms = 0.1;  // a; not negative.
  double pair_ms = 1e-5;  // b; not negative.

  friend bool operator==(const cost_coefficients&, const cost_coefficients&) = default;
};

// Finite and not negative. Linear in the work: the cost of a set is the sum of its parts' costs.
double predict_ms(const cost_coefficients& by, const prefill_work& work);

struct cost_model {
  cost_coefficients coefficients = {};

  // What is remembered of the observations (length, milliseconds per token), faded sums.
  double weight = 0;  // Observations that count; 0: none yet.
  double length_mean = 0;
  double ms_mean = 0;
  double length_spread = 0;  // Sum of squared deviations of lengths.
  double joint_spread = 0;   // Sum of products of deviations.
  int streak = 0;            // Observations in a row far above (positive) or below the prediction.
};

// The model that also knows that `work` took `measured_ms`. Unchanged where that is no measurement:
// not finite, outside [1e-6, 1e9] ms, or work without tokens.
cost_model observe(const cost_model& known, const prefill_work& work, double measured_ms);

}  // namespace weft
