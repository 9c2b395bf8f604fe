#include "gpu/checkpoint/weight_layout.hpp"

#include <map>

#include <catch2/catch.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;

std::map<std::string, wanted_tensor> asked_for(const model_shape& shape) {
  std::map<std::string, wanted_tensor> asked;
  const model_weights weights =
      lay_out(shape, "model.", "lm_head.weight", {.take = [&](const wanted_tensor& wanted) {
                CHECK(asked.emplace(wanted.name, wanted).second);
                return tensor_view{wanted.name, element_type::float32, wanted.dims, {}};
              }});
  CHECK(weights.layers.size() == shape.layers.size());
  CHECK(weights.shape.hidden == shape.hidden);
  return asked;
}

TEST_CASE("a layout asks for exactly the published tensors", "[gpu][weight_layout]") {
  const synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {}, 1);
  const auto asked = asked_for(small_shape());
  CHECK(asked.size() == checkpoint.tensors.size());
  for (const written_tensor& tensor : checkpoint.tensors) {
    REQUIRE(asked.contains(tensor.name));
    CHECK(asked.at(tensor.name).dims == tensor.dims);
  }
}

TEST_CASE("tied embeddings ask for no head and use the embedding", "[gpu][weight_layout]") {
  model_shape shape = small_shape();
  shape.tied_embeddings = true;
  CHECK_FALSE(asked_for(shape).contains("lm_head.weight"));
  const model_weights weights =
      lay_out(shape, "", "head", {.take = [](const wanted_tensor& wanted) {
                return tensor_view{wanted.name, element_type::float32, wanted.dims, {}};
              }});
  CHECK(weights.head.name == "embed_tokens.weight");
}

TEST_CASE("only the linear layers' norm is plain", "[gpu][weight_layout]") {
  for (const auto& [name, wanted] : asked_for(small_shape())) {
    CAPTURE(name);
    CHECK((wanted.role == weight_role::plain_norm) == name.ends_with("linear_attn.norm.weight"));
  }
}

}  // namespace
}  // namespace weft::gpu
