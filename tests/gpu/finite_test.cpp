#include "gpu/checkpoint/finite.hpp"

#include <cmath>
#include <limits>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/checkpoint.hpp"
#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

// Overwrites element `index` of `tensor` with `value`.
void poison(written_tensor& tensor, element_type type, std::size_t index, float value) {
  const written_tensor bad = make_tensor("", type, {1}, {value});
  tensor.bytes.replace(index * bad.bytes.size(), bad.bytes.size(), bad.bytes);
}

TEST_CASE("finite weights pass, subnormal and largest ones too", "[gpu][finite]") {
  const auto type = GENERATE(element_type::bfloat16, element_type::float16, element_type::float32);
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {type, false}, 2);
  written_tensor& norm = checkpoint.tensor("model.norm.weight");
  poison(norm, type, 0, std::numeric_limits<float>::max());
  poison(norm, type, 1, std::numeric_limits<float>::denorm_min());
  poison(norm, type, 2, -0.0f);
  const temporary_folder folder;
  checkpoint.write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  CHECK(check_finite(*weights).ok());
}

TEST_CASE("a NaN or an infinity is named with its tensor and element", "[gpu][finite]") {
  const auto type = GENERATE(element_type::bfloat16, element_type::float16, element_type::float32);
  const float value =
      GENERATE(std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
               -std::numeric_limits<float>::infinity());
  const std::size_t element = GENERATE(std::size_t{0}, std::size_t{5}, std::size_t{3839});
  const char* name = "model.layers.1.mlp.down_proj.weight";
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {type, false}, 2);
  poison(checkpoint.tensor(name), type, element, value);
  const temporary_folder folder;
  checkpoint.write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  for (const int threads : {0, 1, 4}) {
    const status checked = check_finite(*weights, threads);
    REQUIRE_FALSE(checked.ok());
    CHECK(checked.error().kind == failure_kind::rejected);
    CHECK_THAT(checked.error().message, Contains(name));
    CHECK_THAT(checked.error().message, Contains("element " + std::to_string(element) + ";"));
  }
}

TEST_CASE("every tensor of a model is looked at", "[gpu][finite]") {
  const model_shape shape = GENERATE(small_shape(), small_sparse_shape(), small_next_shape());
  const synthetic_checkpoint good =
      make_checkpoint(shape, {.fused_experts = shape.architecture != "qwen3_next"}, 2);
  for (std::size_t i = 0; i < good.tensors.size(); ++i) {
    synthetic_checkpoint bad = good;
    written_tensor& tensor = bad.tensors[i];
    const auto type = tensor.type == "F32" ? element_type::float32 : element_type::bfloat16;
    const std::size_t last = tensor.bytes.size() / static_cast<std::size_t>(bytes_of(type)) - 1;
    poison(tensor, type, last, std::numeric_limits<float>::quiet_NaN());
    const temporary_folder folder;
    bad.write(folder.path());
    const result<model_weights> weights = load_checkpoint(folder.path());
    REQUIRE(weights.ok());
    const status checked = check_finite(*weights);
    REQUIRE_FALSE(checked.ok());
    CHECK_THAT(checked.error().message, Contains("\"" + tensor.name + "\""));
    CHECK_THAT(checked.error().message, Contains("element " + std::to_string(last) + ";"));
  }
}

TEST_CASE("of several bad elements the first is named", "[gpu][finite][threads]") {
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {}, 2);
  const float nan = std::numeric_limits<float>::quiet_NaN();
  poison(checkpoint.tensor("lm_head.weight"), element_type::bfloat16, 1, nan);
  poison(checkpoint.tensor("model.embed_tokens.weight"), element_type::bfloat16, 9, nan);
  poison(checkpoint.tensor("model.embed_tokens.weight"), element_type::bfloat16, 8, nan);
  const temporary_folder folder;
  checkpoint.write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  const status checked = check_finite(*weights, 4);
  REQUIRE_FALSE(checked.ok());
  CHECK_THAT(checked.error().message,
             Contains("embed_tokens.weight\" is not finite at element 8;"));
}

}  // namespace
}  // namespace weft::gpu
