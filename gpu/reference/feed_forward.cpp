#include "gpu/reference/feed_forward.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "gpu/reference/elementwise.hpp"
#include "gpu/reference/widen.hpp"
#include "policies/vocabulary/assert.hpp"

namespace weft::gpu::reference {
namespace {

// to[t, ...] += factor * row
void add_scaled(std::span<double> to, double factor, std::span<const double> row) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += factor * row[i];
}

}  // namespace

dense_feed_forward::dense_feed_forward(const swiglu_weights& weights)
    : gate_(widen(weights.gate)), up_(widen(weights.up)), down_(widen(weights.down)) {}

matrix dense_feed_forward::forward(const matrix& x) const {
  matrix gated = linear(x, gate_);
  const matrix up = linear(x, up_);
  for (std::int64_t t = 0; t < gated.rows(); ++t) {
    for (std::int64_t j = 0; j < gated.columns(); ++j) {
      gated.at(t, j) = silu(gated.at(t, j)) * up.at(t, j);
    }
  }
  return linear(gated, down_);
}

expert_choice choose_experts(std::span<const double> logits, std::int64_t count, bool renormalise) {
  WEFT_ASSERT(count >= 1 && count <= static_cast<std::int64_t>(logits.size()));
  const double highest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const double logit : logits) total += std::exp(logit - highest);
  std::vector<std::int64_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto logit_of = [&](std::int64_t e) { return logits[static_cast<std::size_t>(e)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](std::int64_t a, std::int64_t b) { return logit_of(a) > logit_of(b); });
  order.resize(static_cast<std::size_t>(count));
  std::sort(order.begin(), order.end());
  expert_choice choice{.experts = order, .weights = {}};
  double chosen = 0;
  for (const std::int64_t e : order) {
    choice.weights.push_back(std::exp(logit_of(e) - highest) / total);
    chosen += choice.weights.back();
  }
  if (renormalise) {
    for (double& weight : choice.weights) weight /= chosen;
  }
  return choice;
}

sparse_feed_forward::sparse_feed_forward(const sparse_shape& shape, const sparse_weights& weights)
    : shape_(shape), router_(widen(weights.router)) {
  for (const swiglu_weights& expert : weights.experts) experts_.emplace_back(expert);
  if (weights.shared) {
    shared_.emplace(weights.shared->expert);
    shared_gate_ = widen(weights.shared->gate);
  }
}

matrix sparse_feed_forward::forward(const matrix& x) const {
  const matrix logits = linear(x, router_);
  matrix y(x.rows(), x.columns());
  std::vector<expert_choice> choices;
  for (std::int64_t t = 0; t < x.rows(); ++t) {
    choices.push_back(choose_experts(logits.row(t), shape_.experts_per_token, shape_.renormalise));
  }
  for (std::size_t e = 0; e < experts_.size(); ++e) {
    matrix visitors;
    std::vector<std::int64_t> rows;
    std::vector<double> weights;
    for (std::int64_t t = 0; t < x.rows(); ++t) {
      const expert_choice& choice = choices[static_cast<std::size_t>(t)];
      for (std::size_t i = 0; i < choice.experts.size(); ++i) {
        if (choice.experts[i] != static_cast<std::int64_t>(e)) continue;
        visitors.append_row(x.row(t));
        rows.push_back(t);
        weights.push_back(choice.weights[i]);
      }
    }
    if (rows.empty()) continue;
    const matrix given = experts_[e].forward(visitors);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      add_scaled(y.row(rows[i]), weights[i], given.row(static_cast<std::int64_t>(i)));
    }
  }
  if (!shared_) return y;
  const matrix gate = linear(x, shared_gate_);
  const matrix given = shared_->forward(x);
  for (std::int64_t t = 0; t < x.rows(); ++t) {
    add_scaled(y.row(t), sigmoid(gate.at(t, 0)), given.row(t));
  }
  return y;
}

}  // namespace weft::gpu::reference
