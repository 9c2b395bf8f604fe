#include "gpu/reference/attention_layer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/reference/elementwise.hpp"
#include "gpu/reference/widen.hpp"

namespace weft::gpu::reference {
namespace {

template <class Value>
std::span<Value> head_of(std::span<Value> row, std::int64_t head, std::int64_t dim) {
  return row.subspan(static_cast<std::size_t>(head * dim), static_cast<std::size_t>(dim));
}

}  // namespace

attention_layer::attention_layer(const model_shape& shape, const gated_attention_weights& weights)
    : shape_(shape.attention),
      epsilon_(shape.norm_epsilon),
      query_gate_(widen(weights.query_gate)),
      key_(widen(weights.key)),
      value_(widen(weights.value)),
      out_(widen(weights.out)),
      query_norm_(widen(weights.query_norm)),
      key_norm_(widen(weights.key_norm)) {}

matrix attention_layer::forward(const matrix& x, std::int64_t position, attention_memory& memory,
                                attention_record* record) const {
  const std::int64_t dim = shape_.head_dim;
  matrix query_gate = linear(x, query_gate_);  // Per head: query, then gate.
  matrix keys = linear(x, key_);
  const matrix values = linear(x, value_);
  matrix outputs(x.rows(), shape_.heads * dim);
  for (std::int64_t t = 0; t < x.rows(); ++t) {
    const std::span<double> key_row = keys.row(t);
    for (std::int64_t h = 0; h < shape_.key_value_heads; ++h) {
      zero_centred_norm(head_of(key_row, h, dim), key_norm_.values(), epsilon_);
    }
    if (record != nullptr) {
      record->keys.append_row(key_row);
      record->values.append_row(values.row(t));
    }
    rotate_heads(key_row, position + t);
    memory.keys.append_row(key_row);
    memory.values.append_row(values.row(t));

    const std::span<double> query_row = query_gate.row(t);
    for (std::int64_t h = 0; h < shape_.heads; ++h) {
      const std::span<double> query = head_of(query_row, 2 * h, dim);
      const std::span<const double> gate = head_of(query_row, 2 * h + 1, dim);
      zero_centred_norm(query, query_norm_.values(), epsilon_);
      rotate(query, shape_.rotary_dim, shape_.rope_theta, position + t);
      const std::span<double> out = head_of(outputs.row(t), h, dim);
      attend(query, h, memory, out);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] *= sigmoid(gate[i]);
    }
  }
  return linear(outputs, out_);
}

void attention_layer::splice(attention_memory& memory, const attention_record& record,
                             std::int64_t position) const {
  matrix keys = record.keys;
  for (std::int64_t t = 0; t < keys.rows(); ++t) {
    rotate_heads(keys.row(t), position + t);
    memory.keys.append_row(keys.row(t));
    memory.values.append_row(record.values.row(t));
  }
}

// out = sum_j softmax_j(q k_j / sqrt(D)) v_j over everything in `memory`.
void attention_layer::attend(std::span<const double> query, std::int64_t head,
                             const attention_memory& memory, std::span<double> out) const {
  const std::int64_t dim = shape_.head_dim;
  const std::int64_t shared = head / (shape_.heads / shape_.key_value_heads);
  const double scale = 1.0 / std::sqrt(static_cast<double>(dim));
  std::vector<double> weights;
  double highest = -std::numeric_limits<double>::infinity();
  for (std::int64_t j = 0; j < memory.keys.rows(); ++j) {
    weights.push_back(scale * dot(query, head_of(memory.keys.row(j), shared, dim)));
    highest = std::max(highest, weights.back());
  }
  double total = 0;
  for (double& weight : weights) {
    weight = std::exp(weight - highest);
    total += weight;
  }
  for (std::int64_t j = 0; j < memory.values.rows(); ++j) {
    const double weight = weights[static_cast<std::size_t>(j)] / total;
    const std::span<const double> value = head_of(memory.values.row(j), shared, dim);
    for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight * value[i];
  }
}

void attention_layer::rotate_heads(std::span<double> row, std::int64_t position) const {
  for (std::int64_t h = 0; h < shape_.key_value_heads; ++h) {
    rotate(head_of(row, h, shape_.head_dim), shape_.rotary_dim, shape_.rope_theta, position);
  }
}

}  // namespace weft::gpu::reference
