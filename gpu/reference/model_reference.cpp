#include "gpu/reference/model_reference.hpp"

#include <algorithm>

#include "gpu/reference/elementwise.hpp"
#include "gpu/reference/widen.hpp"
#include "policies/vocabulary/assert.hpp"

namespace weft::gpu::reference {
namespace {

std::variant<gated_delta_layer, attention_layer> make_mixer(const model_shape& shape,
                                                            const layer_weights& weights) {
  if (const auto* linear = std::get_if<gated_delta_weights>(&weights.mixer)) {
    return gated_delta_layer(shape, *linear);
  }
  return attention_layer(shape, std::get<gated_attention_weights>(weights.mixer));
}

std::variant<dense_feed_forward, sparse_feed_forward> make_feed(const model_shape& shape,
                                                                const layer_weights& weights) {
  if (const auto* sparse = std::get_if<sparse_weights>(&weights.feed_forward)) {
    return sparse_feed_forward(shape.sparse, *sparse);
  }
  return dense_feed_forward(std::get<swiglu_weights>(weights.feed_forward));
}

}  // namespace

model_reference::model_reference(const model_weights& weights)
    : shape_(weights.shape),
      embedding_(widen(weights.embedding)),
      final_norm_(widen(weights.final_norm)),
      head_(widen(weights.head)) {
  for (const layer_weights& one : weights.layers) {
    layers_.push_back({.input_norm = widen(one.input_norm),
                       .post_norm = widen(one.post_norm),
                       .mixer = make_mixer(shape_, one),
                       .feed = make_feed(shape_, one)});
  }
}

context model_reference::make_context() const {
  context fresh;
  for (const layer& one : layers_) {
    if (const auto* linear = std::get_if<gated_delta_layer>(&one.mixer)) {
      fresh.layers.emplace_back(linear->empty_memory());
    } else {
      fresh.layers.emplace_back(attention_memory{});
    }
  }
  return fresh;
}

entry model_reference::make_entry(const context& behind) const {
  entry fresh;
  fresh.local_begin = behind.tokens;
  for (const layer& one : layers_) {
    if (const auto* linear = std::get_if<gated_delta_layer>(&one.mixer)) {
      fresh.layers.emplace_back(linear->empty_record());
    } else {
      fresh.layers.emplace_back(attention_record{});
    }
  }
  return fresh;
}

// h = x + mixer(norm(x)); y = h + feed(norm(h)), per layer.
matrix model_reference::run(context& where, std::span<const token_id> tokens, entry* record) const {
  matrix x(static_cast<std::int64_t>(tokens.size()), shape_.hidden);
  if (tokens.empty()) return x;
  for (std::size_t t = 0; t < tokens.size(); ++t) {
    WEFT_ASSERT(tokens[t] >= 0 && tokens[t] < shape_.vocabulary);
    const std::span<const double> row = embedding_.row(tokens[t]);
    std::copy(row.begin(), row.end(), x.row(static_cast<std::int64_t>(t)).begin());
  }
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    const layer& one = layers_[i];
    matrix normed = zero_centred_norm_rows(x, one.input_norm, shape_.norm_epsilon);
    x = sum(x, mix(i, normed, where, record));
    normed = zero_centred_norm_rows(x, one.post_norm, shape_.norm_epsilon);
    x = sum(x, std::visit([&](const auto& feed) { return feed.forward(normed); }, one.feed));
  }
  where.tokens += x.rows();
  if (record != nullptr) record->tokens += x.rows();
  return zero_centred_norm_rows(x, final_norm_, shape_.norm_epsilon);
}

matrix model_reference::mix(std::size_t index, const matrix& x, context& where,
                            entry* record) const {
  auto& memory = where.layers[index];
  auto* kept = record == nullptr ? nullptr : &record->layers[index];
  if (const auto* linear = std::get_if<gated_delta_layer>(&layers_[index].mixer)) {
    return linear->forward(x, std::get<linear_memory>(memory), std::get_if<linear_record>(kept));
  }
  const auto& attention = std::get<attention_layer>(layers_[index].mixer);
  return attention.forward(x, where.tokens, std::get<attention_memory>(memory),
                           std::get_if<attention_record>(kept));
}

void model_reference::splice(context& where, const entry& what,
                             const splice_options& options) const {
  const std::int64_t keys_at = options.turn_keys ? where.tokens : what.local_begin;
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    if (const auto* linear = std::get_if<gated_delta_layer>(&layers_[i].mixer)) {
      linear->splice(std::get<linear_memory>(where.layers[i]),
                     std::get<linear_record>(what.layers[i]), options.apply_transition);
    } else {
      std::get<attention_layer>(layers_[i].mixer)
          .splice(std::get<attention_memory>(where.layers[i]),
                  std::get<attention_record>(what.layers[i]), keys_at);
    }
  }
  where.tokens += what.tokens;
}

matrix model_reference::logits(const matrix& rows) const { return linear(rows, head_); }

}  // namespace weft::gpu::reference
