#include "gpu/host/sparse_feed_forward.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace weft::gpu {
namespace {

stacked_view router_rows(const sparse_weights& weights) {
  stacked_view rows{{weights.router}};
  if (weights.shared) rows.blocks.push_back(weights.shared->gate);
  return rows;
}

}  // namespace

sparse_feed_forward::sparse_feed_forward(const sparse_weights& weights, const sparse_shape& shape,
                                         std::int64_t hidden, weight_form form,
                                         const kernel_table& kernels)
    : shape_(shape), hidden_(hidden), router_(router_rows(weights), form, kernels) {
  experts_.reserve(weights.experts.size());
  for (const swiglu_weights& each : weights.experts)
    experts_.push_back({.gate_up = gated_product(each, form, kernels),
                        .down = matrix_product({{each.down}}, form, kernels)});
  if (weights.shared) shared_.emplace(weights.shared->expert, form, kernels);
}

std::int64_t sparse_feed_forward::inner_floats() const {
  const std::int64_t pairs = shape_.experts_per_token * shape_.intermediate;
  return shared_ ? std::max(pairs, shared_->inner_floats()) : pairs;
}

void sparse_feed_forward::show(const weight_visitor& visit) const {
  router_.show(visit);
  for (const expert& each : experts_) {
    each.gate_up.show(visit);
    each.down.show(visit);
  }
  if (shared_) shared_->show(visit);
}

void sparse_feed_forward::run(step_context& step, const row_range& range) const {
  if (shared_) shared_->run(step, range);
  const stopwatch watch(step.times.matrix_ms);
  workspace& space = step.space;
  route(step, range);
  gather(step, range);
  run_visits(
      step, [](const expert& one, std::int64_t rows) { return one.gate_up.part_count(rows); },
      [&](const expert& one, const expert_routing::visit& at, std::int64_t part) {
        one.gate_up.run_part(part, space.visitors.data() + at.first_place * hidden_,
                             space.inner.data() + at.first_place * shape_.intermediate, at.rows);
      });
  run_visits(
      step, [](const expert& one, std::int64_t rows) { return one.down.part_count(rows); },
      [&](const expert& one, const expert_routing::visit& at, std::int64_t part) {
        one.down.run_part(part, space.inner.data() + at.first_place * shape_.intermediate,
                          space.visitors.data() + at.first_place * hidden_, at.rows);
      });
  add_up(step, range);
}

void sparse_feed_forward::route(step_context& step, const row_range& range) const {
  workspace& space = step.space;
  router_.run(space.normed.data() + range.first * hidden_,
              space.router_logits.data() + range.first * router_.cols(), range.rows, step.pool);
  space.routing.start(range.rows, shape_.experts, shape_.experts_per_token);
  step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row)
      choose_experts({space.router_logits.data() + row * router_.cols(),
                      static_cast<std::size_t>(shape_.experts)},
                     shape_.renormalise, space.routing.choice_of(row - range.first));
  });
  space.routing.sort();
}

// space.visitors: each pair's row at its place.
void sparse_feed_forward::gather(step_context& step, const row_range& range) const {
  workspace& space = step.space;
  step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row)
      for (const std::int64_t place : space.routing.places_of(row - range.first))
        std::copy_n(space.normed.data() + row * hidden_, hidden_,
                    space.visitors.data() + place * hidden_);
  });
}

// One job of the pool: all parts of a product of every expert that is visited.
template <class Count, class Part>
void sparse_feed_forward::run_visits(step_context& step, const Count& part_count,
                                     const Part& run_part) const {
  const std::span<expert_routing::visit> visits = step.space.routing.visits();
  const auto expert_at = [&](const expert_routing::visit& at) -> const expert& {
    return experts_[static_cast<std::size_t>(at.expert)];
  };
  std::int64_t parts = 0;
  for (expert_routing::visit& each : visits) {
    each.first_part = parts;
    parts += part_count(expert_at(each), each.rows);
  }
  step.pool.run(parts, [&](std::int64_t part, int) {
    const auto after = std::upper_bound(visits.begin(), visits.end(), part,
                                        [](std::int64_t value, const expert_routing::visit& each) {
                                          return value < each.first_part;
                                        });
    const expert_routing::visit& at = *std::prev(after);
    run_part(expert_at(at), at, part - at.first_part);
  });
}

// space.mixed: what a row's experts gave, by their weights, in the order of experts; then the
// shared expert's part, which stands there already.
void sparse_feed_forward::add_up(step_context& step, const row_range& range) const {
  constexpr std::int64_t block = 64;  // Sums stay in registers while all experts are added.
  workspace& space = step.space;
  step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row) {
      const std::span<const std::int64_t> places = space.routing.places_of(row - range.first);
      const std::span<const float> weights = space.routing.weights_of(row - range.first);
      float* y = space.mixed.data() + row * hidden_;
      const double logit =
          shared_
              ? space.router_logits[static_cast<std::size_t>(row * router_.cols() + shape_.experts)]
              : 0.0;
      const auto share = static_cast<float>(1.0 / (1.0 + std::exp(-logit)));
      for (std::int64_t col = 0; col < hidden_; col += block) {
        const std::int64_t width = std::min(block, hidden_ - col);
        std::array<float, block> sums = {};
        for (std::size_t i = 0; i < places.size(); ++i) {
          const float* given = space.visitors.data() + places[i] * hidden_ + col;
          for (std::int64_t j = 0; j < width; ++j)
            sums[static_cast<std::size_t>(j)] += weights[i] * given[j];
        }
        if (shared_)
          for (std::int64_t j = 0; j < width; ++j)
            sums[static_cast<std::size_t>(j)] += share * y[col + j];
        std::copy_n(sums.begin(), width, y + col);
      }
    }
  });
}

}  // namespace weft::gpu
