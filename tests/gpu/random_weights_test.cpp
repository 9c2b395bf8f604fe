#include "gpu/checkpoint/random_weights.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/finite.hpp"
#include "gpu/reference/prompt_reference.hpp"
#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;

std::vector<float> values_of(const tensor_view& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
  to_float32(tensor, 0, values);
  return values;
}

TEST_CASE("random weights are a function of shape and seed", "[gpu][random_weights]") {
  const result<model_weights> a = random_weights(small_shape(), 5);
  const result<model_weights> b = random_weights(small_shape(), 5);
  const result<model_weights> c = random_weights(small_shape(), 6);
  REQUIRE((a.ok() && b.ok() && c.ok()));
  CHECK(values_of(a->embedding) == values_of(b->embedding));
  CHECK(values_of(a->head) == values_of(b->head));
  CHECK(values_of(a->embedding) != values_of(c->embedding));
  CHECK(values_of(a->embedding) != values_of(a->head));
  CHECK(a->embedding.type == element_type::bfloat16);
}

TEST_CASE("random weights lie where trained ones do", "[gpu][random_weights]") {
  const result<model_weights> weights = random_weights(small_shape(), 5);
  REQUIRE(weights.ok());
  CHECK(check_finite(*weights).ok());
  for (const float value : values_of(weights->final_norm)) CHECK(std::abs(value) <= 0.1f);
  const auto& linear = std::get<gated_delta_weights>(weights->layers[0].mixer);
  for (const float value : values_of(linear.norm)) CHECK(value == Approx(1).margin(0.11));
  for (const float value : values_of(linear.dt_bias)) CHECK((value > -7 && value < -2));
  for (const float value : values_of(linear.a_log)) CHECK((value >= 0 && value < 2.8f));
  double squares = 0;
  const std::vector<float> matrix = values_of(linear.in_qkv.blocks.front());
  for (const float value : matrix) squares += static_cast<double>(value) * value;
  CHECK(squares / static_cast<double>(matrix.size()) == Approx(1.0 / 48).epsilon(0.05));
}

TEST_CASE("experts are drawn like other matrices, each its own", "[gpu][random_weights][sparse]") {
  const model_shape shape = GENERATE(small_sparse_shape(), small_next_shape());
  const result<model_weights> weights = random_weights(shape, 5);
  REQUIRE(weights.ok());
  CHECK(check_finite(*weights).ok());
  const auto& layer = std::get<sparse_weights>(weights->layers[0].feed_forward);
  REQUIRE(layer.experts.size() == 7);
  double squares = 0;
  for (const swiglu_weights& expert : layer.experts) {
    for (const float value : values_of(expert.down)) squares += static_cast<double>(value) * value;
    CHECK(values_of(expert.gate) != values_of(expert.up));
  }
  CHECK(squares / (7 * 48 * 40) == Approx(1.0 / 40).epsilon(0.05));
  CHECK(values_of(layer.experts[0].up) != values_of(layer.experts[1].up));
}

TEST_CASE("a large tensor is filled to its last element", "[gpu][random_weights][threads]") {
  model_shape shape = small_shape();
  shape.vocabulary = 50001;  // More elements than one thread takes at a time.
  const result<model_weights> weights = random_weights(shape, 8);
  REQUIRE(weights.ok());
  const std::vector<float> values = values_of(weights->embedding);
  REQUIRE(values.size() == 50001 * 48);
  const auto zeros = std::count(values.end() - 1000, values.end(), 0.0f);
  CHECK(zeros < 5);
  CHECK_FALSE(std::equal(values.begin(), values.begin() + 1000, values.end() - 1000));
}

TEST_CASE("a model of random weights gives finite answers", "[gpu][random_weights]") {
  const model_shape shape = GENERATE(small_shape(), small_sparse_shape(), small_next_shape());
  const result<model_weights> weights = random_weights(shape, 9);
  REQUIRE(weights.ok());
  const reference::model_reference model(*weights);
  const reference::prompt_result ran = reference::run_full(model, {{1, 2, 3, 4, 5, 6, 7, 8}});
  double largest = 0;
  for (const double logit : ran.logits) largest = std::max(largest, std::abs(logit));
  CHECK(largest > 0.1);
  CHECK(largest < 20);
}

TEST_CASE("weights that no machine holds are refused at once", "[gpu][random_weights]") {
  model_shape shape = small_shape();
  shape.vocabulary = std::int64_t{1} << 28;
  shape.hidden = std::int64_t{1} << 20;
  const result<model_weights> weights = random_weights(shape, 1);
  REQUIRE_FALSE(weights.ok());
  CHECK(weights.error().kind == failure_kind::overloaded);
}

}  // namespace
}  // namespace weft::gpu
