#include "policies/cost/cost_model.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace weft {
namespace {

// An observation's weight after k others is 0.97^k: some 30 steps are remembered, which averages
// noise and still follows a machine that others begin to use.
constexpr double fading = 0.97;
// Beyond this factor of the prediction a measurement is doubted: steps of one kind vary by less.
constexpr double doubt = 1.5;
// So many in a row on one side are no accident.
constexpr int streak_to_believe = 3;
constexpr int streak_max = 100;  // Only so that the count ends.
// What a model found wrong keeps of its past: enough to tell its shape, too little to matter else.
constexpr double past_kept = 1.0 / 16;
// Weight of the shape known so far, as a part of the squared mean length: a spread of lengths of
// some percent already outweighs it.
constexpr double shape_weight = 1e-3;

constexpr double ms_least = 1e-6;
constexpr double ms_most = 1e9;
constexpr double tokens_most = 1e12;
constexpr double length_most = 1e12;

bool usable(const prefill_work& work, double ms) {
  return std::isfinite(ms) && ms >= ms_least && ms <= ms_most && std::isfinite(work.tokens) &&
         work.tokens >= 1 && work.tokens <= tokens_most && std::isfinite(work.pairs) &&
         work.pairs >= 0 && work.pairs / work.tokens <= length_most;
}

double line_at(const cost_coefficients& by, double length) {
  return by.token_ms + by.pair_ms * length;
}

// The measurement, bounded by what the model expects.
double believed(cost_model& next, double length, double ms_per_token) {
  const double expected = line_at(next.coefficients, length);
  const int side = ms_per_token > expected * doubt ? 1 : ms_per_token < expected / doubt ? -1 : 0;
  const bool goes_on = side != 0 && side * next.streak > 0;
  next.streak = goes_on ? std::clamp(next.streak + side, -streak_max, streak_max) : side;
  if (side == 0) return ms_per_token;
  const int in_a_row = std::abs(next.streak);
  if (in_a_row < streak_to_believe) {
    const double bound = in_a_row * doubt;
    return std::clamp(ms_per_token, expected / bound, expected * bound);
  }
  next.weight *= past_kept;
  next.length_spread *= past_kept;
  next.joint_spread *= past_kept;
  return ms_per_token;
}

void remember(cost_model& next, double length, double ms_per_token) {
  const double faded = next.weight * fading;
  next.weight = faded + 1;
  const double length_off = length - next.length_mean;
  const double ms_off = ms_per_token - next.ms_mean;
  next.length_mean += length_off / next.weight;
  next.ms_mean += ms_off / next.weight;
  const double share = faded / next.weight;
  next.length_spread = next.length_spread * fading + share * length_off * length_off;
  next.joint_spread = next.joint_spread * fading + share * length_off * ms_off;
}

// The least-squares line through what is remembered, with neither coefficient below zero.
cost_coefficients fit(const cost_model& next) {
  const cost_coefficients& before = next.coefficients;
  const double length_square = next.weight * next.length_mean * next.length_mean;
  const double scale = next.ms_mean / line_at(before, next.length_mean);
  const double pull = shape_weight * length_square;
  const double given = next.length_spread + pull;
  double pair_ms = before.pair_ms * scale;
  if (given > 0) pair_ms = std::max(0.0, (next.joint_spread + pull * pair_ms) / given);
  const double token_ms = next.ms_mean - pair_ms * next.length_mean;
  if (token_ms >= 0) return {.token_ms = token_ms, .pair_ms = pair_ms};
  // All of it is attention: the best line through the origin.
  return {.token_ms = 0,
          .pair_ms = (next.joint_spread + next.weight * next.length_mean * next.ms_mean) /
                     (next.length_spread + length_square)};
}

}  // namespace

double predict_ms(const cost_coefficients& by, const prefill_work& work) {
  return by.token_ms * work.tokens + by.pair_ms * work.pairs;
}

cost_model observe(const cost_model& known, const prefill_work& work, double measured_ms) {
  if (!usable(work, measured_ms)) return known;
  const double length = work.pairs / work.tokens;
  double ms_per_token = measured_ms / work.tokens;
  cost_model next = known;
  if (known.weight > 0) ms_per_token = believed(next, length, ms_per_token);
  remember(next, length, ms_per_token);
  const cost_coefficients fitted = fit(next);
  const bool sane = std::isfinite(fitted.token_ms) && std::isfinite(fitted.pair_ms) &&
                    line_at(fitted, length) > 0 && fitted.pair_ms >= 0;
  if (!sane) return known;
  next.coefficients = fitted;
  return next;
}

}  // namespace weft
