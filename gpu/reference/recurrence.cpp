#include "gpu/reference/recurrence.hpp"

#include <cmath>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu::reference {
namespace {

// S <- e^g S
void decay(matrix& state, double log_decay) {
  const double factor = std::exp(log_decay);
  for (std::int64_t i = 0; i < state.rows(); ++i) {
    for (double& value : state.row(i)) value *= factor;
  }
}

// S <- diag(e^g) S
void decay_rows(matrix& state, std::span<const double> log_decay) {
  for (std::int64_t i = 0; i < state.rows(); ++i) {
    const double factor = std::exp(log_decay[static_cast<std::size_t>(i)]);
    for (double& value : state.row(i)) value *= factor;
  }
}

// S <- S + x^T y
void add_outer(matrix& state, std::span<const double> x, std::span<const double> y) {
  WEFT_ASSERT(static_cast<std::int64_t>(x.size()) == state.rows());
  WEFT_ASSERT(static_cast<std::int64_t>(y.size()) == state.columns());
  for (std::int64_t i = 0; i < state.rows(); ++i) {
    const double factor = x[static_cast<std::size_t>(i)];
    const std::span<double> row = state.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) row[j] += factor * y[j];
  }
}

// S <- (I - beta k^T k) S + beta k^T v, that is S + k^T (beta (v - k S)).
void correct(matrix& state, const token_inputs& token, double beta) {
  std::vector<double> difference = read_state(state, token.key);
  for (std::size_t j = 0; j < difference.size(); ++j) {
    difference[j] = beta * (token.value[j] - difference[j]);
  }
  add_outer(state, token.key, difference);
}

}  // namespace

void advance(matrix& state, const lightning_token& token) {
  decay(state, token.log_decay);
  add_outer(state, token.key, token.value);
}

void advance(matrix& state, const mamba2_token& token) {
  decay(state, token.dt * token.a);
  std::vector<double> step = token.value;
  for (double& value : step) value *= token.dt;
  add_outer(state, token.key, step);
}

void advance(matrix& state, const gla_token& token) {
  decay_rows(state, token.log_decay);
  add_outer(state, token.key, token.value);
}

void advance(matrix& state, const delta_token& token) { correct(state, token, token.beta); }

void advance(matrix& state, const gated_delta_token& token) {
  decay(state, token.log_decay);
  correct(state, token, token.beta);
}

void advance(matrix& state, const kda_token& token) {
  decay_rows(state, token.log_decay);
  correct(state, token, token.beta);
}

void advance(matrix& state, const rwkv7_token& token) {
  // a S, of the state before its decay.
  const std::vector<double> read = read_state(state, token.read);
  decay_rows(state, token.log_decay);
  add_outer(state, token.write, read);
  add_outer(state, token.key, token.value);
}

std::vector<double> read_state(const matrix& state, std::span<const double> query) {
  WEFT_ASSERT(static_cast<std::int64_t>(query.size()) == state.rows());
  std::vector<double> output(static_cast<std::size_t>(state.columns()), 0.0);
  for (std::int64_t i = 0; i < state.rows(); ++i) {
    const double factor = query[static_cast<std::size_t>(i)];
    const std::span<const double> row = state.row(i);
    for (std::size_t j = 0; j < row.size(); ++j) output[j] += factor * row[j];
  }
  return output;
}

}  // namespace weft::gpu::reference
