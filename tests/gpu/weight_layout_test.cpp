#include "gpu/checkpoint/weight_layout.hpp"

#include <map>

#include <catch2/catch.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;

std::map<std::string, wanted_tensor> asked_for(const model_shape& shape, bool fused = true) {
  std::map<std::string, wanted_tensor> asked;
  const auto holds = [fused](const std::string&) { return fused; };
  const auto take = [&](const wanted_tensor& wanted) {
    CHECK(asked.emplace(wanted.name, wanted).second);
    return tensor_view{wanted.name, element_type::float32, wanted.dims, {}};
  };
  const model_weights weights =
      lay_out(shape, "model.", "lm_head.weight", {.take = take, .holds = holds});
  CHECK(weights.layers.size() == shape.layers.size());
  CHECK(weights.shape.hidden == shape.hidden);
  return asked;
}

TEST_CASE("a layout asks for exactly the published tensors", "[gpu][weight_layout]") {
  const model_shape shape = GENERATE(small_shape(), small_sparse_shape(), small_next_shape());
  const bool fused = GENERATE(true, false);
  const synthetic_checkpoint checkpoint = make_checkpoint(shape, {.fused_experts = fused}, 1);
  const auto asked = asked_for(shape, fused);
  CHECK(asked.size() == checkpoint.tensors.size());
  for (const written_tensor& tensor : checkpoint.tensors) {
    REQUIRE(asked.contains(tensor.name));
    CHECK(asked.at(tensor.name).dims == tensor.dims);
  }
}

TEST_CASE("a shared expert of no size is not asked for, and its gate may be missing",
          "[gpu][weight_layout]") {
  model_shape shape = small_sparse_shape();
  shape.sparse.shared_intermediate = 0;
  bool gate_seen = false;
  for (const auto& [name, wanted] : asked_for(shape)) {
    CAPTURE(name);
    const bool gate = name.ends_with("shared_expert_gate.weight");
    CHECK(wanted.unused == gate);
    CHECK(name.find("shared_expert.") == std::string::npos);
    gate_seen = gate_seen || gate;
  }
  CHECK(gate_seen);
}

// Rows of a grouped tensor are numbered in the file's order; where each stands in the model's order
// follows from the published description: per key head q, k, then v and z of its value heads.
TEST_CASE("rows grouped by key head are found in the order of heads", "[gpu][weight_layout]") {
  const model_shape shape = small_next_shape();
  const gated_delta_shape& linear = shape.linear;  // Three key heads, nine value heads.
  std::map<std::string, std::vector<float>> kept;
  const model_weights weights =
      lay_out(shape, "", "head", {.take = [&](const wanted_tensor& wanted) {
                std::vector<float>& values = kept[wanted.name];
                const tensor_view view{wanted.name, element_type::float32, wanted.dims, {}};
                values.resize(static_cast<std::size_t>(view.elements()));
                for (std::size_t i = 0; i < values.size(); ++i)
                  values[i] = static_cast<float>(i / static_cast<std::size_t>(shape.hidden));
                tensor_view made = view;
                made.bytes = std::as_bytes(std::span(values));
                return made;
              }});
  const auto& layer = std::get<gated_delta_weights>(weights.layers[0].mixer);
  const auto first_column = [&](const stacked_view& stack) {
    std::vector<float> all(static_cast<std::size_t>(stack.elements()));
    to_float32(stack, all);
    std::vector<float> column;
    for (std::size_t i = 0; i < all.size(); i += static_cast<std::size_t>(shape.hidden))
      column.push_back(all[i]);
    return column;
  };
  const std::int64_t group = 2 * 16 + 2 * 3 * 24;  // Rows of one key head.
  const std::vector<float> qkv = first_column(layer.in_qkv);
  const std::vector<float> z = first_column(layer.in_z);
  REQUIRE(static_cast<std::int64_t>(qkv.size()) == linear.conv_channels());
  REQUIRE(z.size() == 9 * 24);
  const auto row_at = [](const std::vector<float>& rows, std::int64_t at) {
    return static_cast<std::int64_t>(rows[static_cast<std::size_t>(at)]);
  };
  for (std::int64_t head = 0; head < 3; ++head) {
    for (std::int64_t i = 0; i < 16; ++i) {
      CHECK(row_at(qkv, head * 16 + i) == head * group + i);
      CHECK(row_at(qkv, 48 + head * 16 + i) == head * group + 16 + i);
    }
  }
  const std::vector<float> b = first_column(layer.in_b);
  const std::vector<float> a = first_column(layer.in_a);
  for (std::int64_t head = 0; head < 9; ++head) {
    const std::int64_t key_head = head / 3;
    const std::int64_t inside = head % 3;
    for (std::int64_t i = 0; i < 24; ++i) {
      CHECK(row_at(qkv, 96 + head * 24 + i) == key_head * group + 32 + inside * 24 + i);
      CHECK(row_at(z, head * 24 + i) == key_head * group + 32 + 72 + inside * 24 + i);
    }
    CHECK(row_at(b, head) == key_head * 6 + inside);
    CHECK(row_at(a, head) == key_head * 6 + 3 + inside);
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
