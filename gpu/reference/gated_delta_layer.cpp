#include "gpu/reference/gated_delta_layer.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/reference/elementwise.hpp"
#include "gpu/reference/recurrence.hpp"
#include "gpu/reference/widen.hpp"

namespace weft::gpu::reference {
namespace {

std::vector<double> part(std::span<const double> row, std::int64_t first, std::int64_t count) {
  const auto part = row.subspan(static_cast<std::size_t>(first), static_cast<std::size_t>(count));
  return {part.begin(), part.end()};
}

}  // namespace

gated_delta_layer::gated_delta_layer(const model_shape& shape, const gated_delta_weights& weights)
    : shape_(shape.linear),
      epsilon_(shape.norm_epsilon),
      in_qkv_(widen(weights.in_qkv)),
      in_z_(widen(weights.in_z)),
      in_b_(widen(weights.in_b)),
      in_a_(widen(weights.in_a)),
      conv_(widen(weights.conv)),
      a_log_(widen(weights.a_log)),
      dt_bias_(widen(weights.dt_bias)),
      norm_(widen(weights.norm)),
      out_(widen(weights.out)) {}

linear_memory gated_delta_layer::empty_memory() const {
  const auto heads = static_cast<std::size_t>(shape_.value_heads);
  return {.states = std::vector<matrix>(heads, matrix(shape_.key_dim, shape_.value_dim)),
          .history = {}};
}

linear_record gated_delta_layer::empty_record() const {
  const auto heads = static_cast<std::size_t>(shape_.value_heads);
  return {.heads = std::vector<affine>(heads, identity_map(shape_.key_dim, shape_.value_dim)),
          .rows = {}};
}

matrix gated_delta_layer::forward(const matrix& x, linear_memory& memory,
                                  linear_record* record) const {
  // u = W_qkv x; c = silu(conv(u)); z, b, a = W_z x, W_b x, W_a x.
  const matrix raw = linear(x, in_qkv_);
  const matrix z = linear(x, in_z_);
  const matrix b = linear(x, in_b_);
  const matrix a = linear(x, in_a_);
  const matrix mixed = convolve(raw, memory.history);
  remember(memory.history, raw);
  if (record != nullptr) remember(record->rows, raw);

  const std::int64_t keys_begin = shape_.key_heads * shape_.key_dim;
  const std::int64_t values_begin = 2 * keys_begin;
  const std::int64_t group = shape_.value_heads / shape_.key_heads;
  const double scale = 1.0 / std::sqrt(static_cast<double>(shape_.key_dim));
  matrix outputs(x.rows(), shape_.value_heads * shape_.value_dim);
  for (std::int64_t h = 0; h < shape_.value_heads; ++h) {
    const std::int64_t key_head = h / group;  // Value head h reads key head h / (Hv / Hk).
    for (std::int64_t t = 0; t < x.rows(); ++t) {
      const std::span<const double> row = mixed.row(t);
      gated_delta_token token;
      token.query = part(row, key_head * shape_.key_dim, shape_.key_dim);
      token.key = part(row, keys_begin + key_head * shape_.key_dim, shape_.key_dim);
      token.value = part(row, values_begin + h * shape_.value_dim, shape_.value_dim);
      unit_length(token.query);
      unit_length(token.key);
      for (double& value : token.query) value *= scale;
      // beta = sigmoid(b); g = -exp(A_log) softplus(a + dt_bias).
      token.beta = sigmoid(b.at(t, h));
      token.log_decay = -std::exp(a_log_.at(0, h)) * softplus(a.at(t, h) + dt_bias_.at(0, h));

      matrix& state = memory.states[static_cast<std::size_t>(h)];
      advance(state, token);
      if (record != nullptr) {
        affine& map = record->heads[static_cast<std::size_t>(h)];
        advance_without_value(map.transition, token);
        advance(map.offset, token);
      }
      // y = gated RMS norm of q S, per head.
      std::vector<double> output = read_state(state, token.query);
      const std::vector<double> gate = part(z.row(t), h * shape_.value_dim, shape_.value_dim);
      gated_norm(output, norm_.values(), gate, epsilon_);
      std::copy(output.begin(), output.end(), outputs.row(t).begin() + h * shape_.value_dim);
    }
  }
  return linear(outputs, out_);
}

void gated_delta_layer::splice(linear_memory& memory, const linear_record& record,
                               bool apply_transition) const {
  for (std::size_t h = 0; h < memory.states.size(); ++h) {
    const affine& map = record.heads[h];
    memory.states[h] =
        apply_transition ? apply(map, memory.states[h]) : sum(memory.states[h], map.offset);
  }
  remember(memory.history, record.rows);
}

// c[t] = silu(sum_j w[j] u[t - (kernel - 1) + j]), with the history, then zeros, before the start.
matrix gated_delta_layer::convolve(const matrix& raw, const matrix& history) const {
  const std::int64_t kernel = shape_.conv_kernel;
  matrix mixed(raw.rows(), raw.columns());
  for (std::int64_t t = 0; t < raw.rows(); ++t) {
    for (std::int64_t c = 0; c < raw.columns(); ++c) {
      double total = 0;
      for (std::int64_t j = 0; j < kernel; ++j) {
        const std::int64_t at = t - (kernel - 1) + j;
        const std::int64_t in_history = history.rows() + at;
        if (at >= 0) {
          total += conv_.at(c, j) * raw.at(at, c);
        } else if (in_history >= 0) {
          total += conv_.at(c, j) * history.at(in_history, c);
        }
      }
      mixed.at(t, c) = silu(total);
    }
  }
  return mixed;
}

// Appends `more` to `rows` and keeps the last conv_kernel - 1.
void gated_delta_layer::remember(matrix& rows, const matrix& more) const {
  matrix kept;
  const std::int64_t total = rows.rows() + more.rows();
  for (std::int64_t i = std::max<std::int64_t>(0, total - (shape_.conv_kernel - 1)); i < total;
       ++i) {
    kept.append_row(i < rows.rows() ? rows.row(i) : more.row(i - rows.rows()));
  }
  rows = kept;
}

}  // namespace weft::gpu::reference
