#include <cmath>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "gpu/reference/elementwise.hpp"
#include "gpu/reference/feed_forward.hpp"
#include "gpu/reference/widen.hpp"
#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu::reference {
namespace {

using namespace gpu::testing;

struct small_layer {
  model_weights model;
  sparse_weights weights;
};

small_layer layer_of(const model_shape& shape) {
  result<model_weights> made = random_weights(shape, 4);
  REQUIRE(made.ok());
  sparse_weights weights = std::get<sparse_weights>(made->layers[0].feed_forward);
  return {std::move(made).value(), std::move(weights)};
}

matrix some_rows(std::int64_t rows, std::int64_t columns) {
  matrix x(rows, columns);
  for (std::int64_t t = 0; t < rows; ++t)
    for (std::int64_t i = 0; i < columns; ++i)
      x.at(t, i) = std::sin(static_cast<double>(7 * t + 3 * i + t * i));
  return x;
}

// down(silu(gate x) * up x), element by element.
double plain_expert(const swiglu_weights& weights, std::span<const double> x, std::int64_t column) {
  const matrix gate = widen(weights.gate);
  const matrix up = widen(weights.up);
  const matrix down = widen(weights.down);
  double total = 0;
  for (std::int64_t i = 0; i < gate.rows(); ++i)
    total += down.at(column, i) * silu(dot(gate.row(i), x)) * dot(up.row(i), x);
  return total;
}

TEST_CASE("equal logits go to the lower experts", "[gpu][reference][feed_forward]") {
  const std::vector<double> logits = {0, 2, 2, -1, 2};
  const expert_choice two = choose_experts(logits, 2, true);
  CHECK(two.experts == std::vector<std::int64_t>{1, 2});
  CHECK(two.weights[0] == Approx(0.5));
  const expert_choice all = choose_experts(logits, 5, false);
  CHECK(all.experts == std::vector<std::int64_t>{0, 1, 2, 3, 4});
  CHECK(all.weights[3] ==
        Approx(std::exp(-1.0) / (1 + 3 * std::exp(2.0) + std::exp(-1.0))).epsilon(1e-12));
}

TEST_CASE("a sparse feed-forward is the weighted sum of its experts and the shared one",
          "[gpu][reference][feed_forward]") {
  const model_shape shape = GENERATE(small_sparse_shape(), small_next_shape());
  const small_layer layer = layer_of(shape);
  const matrix x = some_rows(5, shape.hidden);
  const matrix y = sparse_feed_forward(shape.sparse, layer.weights).forward(x);
  const matrix logits = linear(x, widen(layer.weights.router));
  const matrix gate = widen(layer.weights.shared->gate);
  for (std::int64_t t = 0; t < x.rows(); ++t) {
    const expert_choice choice =
        choose_experts(logits.row(t), shape.sparse.experts_per_token, shape.sparse.renormalise);
    REQUIRE(choice.experts.size() == 3);
    for (const std::int64_t column : {std::int64_t{0}, shape.hidden - 1}) {
      double total = sigmoid(dot(gate.row(0), x.row(t))) *
                     plain_expert(layer.weights.shared->expert, x.row(t), column);
      for (std::size_t i = 0; i < 3; ++i)
        total += choice.weights[i] *
                 plain_expert(layer.weights.experts[static_cast<std::size_t>(choice.experts[i])],
                              x.row(t), column);
      CHECK(y.at(t, column) == Approx(total).epsilon(1e-11));
    }
  }
}

TEST_CASE("weights sum to one where they are renormalised", "[gpu][reference][feed_forward]") {
  const std::vector<double> logits = {0.3, -2, 1.7, 0.9};
  for (const bool renormalise : {false, true}) {
    double total = 0;
    for (const double weight : choose_experts(logits, 2, renormalise).weights) total += weight;
    CHECK((std::abs(total - 1) < 1e-12) == renormalise);
  }
}

}  // namespace
}  // namespace weft::gpu::reference
