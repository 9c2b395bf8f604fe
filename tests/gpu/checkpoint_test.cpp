#include "gpu/checkpoint/checkpoint.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

std::vector<float> values_of(const tensor_view& tensor) {
  std::vector<float> values(static_cast<std::size_t>(tensor.elements()));
  to_float32(tensor, 0, values);
  return values;
}

std::string failure_of(const synthetic_checkpoint& checkpoint) {
  const temporary_folder folder;
  checkpoint.write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE_FALSE(weights.ok());
  CHECK(weights.error().kind == failure_kind::rejected);
  return weights.error().message;
}

TEST_CASE("the bundled checkpoint loads with every tensor in its place", "[gpu][checkpoint]") {
  const result<model_weights> weights =
      load_checkpoint(WEFT_SOURCE_DIR "/examples/models/tiny-qwen3_5");
  REQUIRE(weights.ok());
  const model_shape& shape = weights->shape;
  CHECK(shape.architecture == "qwen3_5_text");
  CHECK(shape.hidden == 256);
  CHECK(shape.linear_layers() == 6);
  CHECK(shape.attention_layers() == 2);
  CHECK(shape.attention.rotary_dim == 64);
  CHECK(shape.attention.rope_theta == 1e7);
  CHECK(shape.linear.conv_channels() == 1024);
  CHECK(shape.end_tokens == token_ids{2047, 2045});
  CHECK(shape.tied_embeddings);
  REQUIRE(weights->layers.size() == 8);
  CHECK(weights->head.bytes.data() == weights->embedding.bytes.data());
  const auto& linear = std::get<gated_delta_weights>(weights->layers[0].mixer);
  CHECK(linear.conv.dims == std::vector<std::int64_t>{1024, 1, 4});
  CHECK(linear.a_log.type == element_type::float32);
  CHECK(linear.in_qkv.blocks.front().type == element_type::bfloat16);
  const auto& attention = std::get<gated_attention_weights>(weights->layers[3].mixer);
  CHECK(attention.query_gate.dims == std::vector<std::int64_t>{1024, 256});
}

TEST_CASE("one model loads alike from any layout", "[gpu][checkpoint]") {
  const auto type = GENERATE(element_type::bfloat16, element_type::float16, element_type::float32);
  const bool wrapped = GENERATE(false, true);
  const int shards = GENERATE(1, 3);
  const bool tied = GENERATE(false, true);
  model_shape shape = small_shape();
  shape.tied_embeddings = tied;
  const synthetic_checkpoint checkpoint = make_checkpoint(shape, {type, wrapped}, 7);
  const temporary_folder folder;
  checkpoint.write(folder.path(), shards);
  const result<model_weights> weights = load_checkpoint(folder.path());
  REQUIRE(weights.ok());
  CHECK(weights->shape.layers == shape.layers);
  CHECK(weights->embedding.type == type);
  const auto& linear = std::get<gated_delta_weights>(weights->layers[2].mixer);
  CHECK(linear.in_qkv.blocks.front().name ==
        std::string(wrapped ? "model.language_model." : "model.") +
            "layers.2.linear_attn.in_proj_qkv.weight");
  // The same seed draws the same numbers; short types cut at most their last place.
  const synthetic_checkpoint plain = make_checkpoint(shape, {element_type::float32, false}, 7);
  const temporary_folder plain_folder;
  plain.write(plain_folder.path());
  const result<model_weights> reference = load_checkpoint(plain_folder.path());
  REQUIRE(reference.ok());
  const std::vector<float> expected = values_of(reference->head);
  const std::vector<float> found = values_of(weights->head);
  REQUIRE(found.size() == expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    REQUIRE(found[i] == Approx(expected[i]).epsilon(0.008).margin(1e-4));
  }
}

// The values of every tensor, in the order of the model.
std::vector<std::vector<float>> all_values(const synthetic_checkpoint& checkpoint, int shards) {
  const temporary_folder folder;
  checkpoint.write(folder.path(), shards);
  const result<model_weights> weights = load_checkpoint(folder.path());
  if (!weights) FAIL(weights.error().message);
  std::vector<std::vector<float>> values;
  each_tensor(*weights, [&](const tensor_view& tensor) { values.push_back(values_of(tensor)); });
  return values;
}

TEST_CASE("models with experts load from any layout", "[gpu][checkpoint][sparse]") {
  const model_shape shape = GENERATE(small_sparse_shape(), small_next_shape());
  const auto type = GENERATE(element_type::bfloat16, element_type::float32);
  const bool wrapped = GENERATE(false, true);
  const bool fused = GENERATE(false, true);
  INFO(shape.architecture << (wrapped ? ", wrapped" : "") << (fused ? ", fused" : ""));
  const synthetic_checkpoint checkpoint =
      make_checkpoint(shape, {.type = type, .wrapped = wrapped, .fused_experts = fused}, 7);
  const temporary_folder folder;
  checkpoint.write(folder.path());
  const result<model_weights> weights = load_checkpoint(folder.path());
  if (!weights) FAIL(weights.error().message);
  CHECK(weights->shape.feeds == shape.feeds);
  CHECK(weights->shape.sparse.renormalise == shape.sparse.renormalise);
  const auto& sparse = std::get<sparse_weights>(weights->layers[2].feed_forward);
  REQUIRE(sparse.experts.size() == 7);
  CHECK(sparse.experts[6].up.dims == std::vector<std::int64_t>{40, 48});
  CHECK(sparse.experts[6].down.dims == std::vector<std::int64_t>{48, 40});
  CHECK(sparse.experts[6].up.type == type);
  CHECK(sparse.shared.has_value());
  CHECK(all_values(checkpoint, 1) == all_values(checkpoint, 3));
}

TEST_CASE("fused experts and experts apart are the same experts", "[gpu][checkpoint][sparse]") {
  synthetic_checkpoint fused = make_checkpoint(small_sparse_shape(), {element_type::float32}, 7);
  synthetic_checkpoint apart = fused;
  constexpr std::size_t matrix_bytes = 40 * 48 * 4;
  for (int layer = 0; layer < 4; ++layer) {
    const std::string prefix = "model.layers." + std::to_string(layer) + ".mlp.experts.";
    const std::string gate_up = fused.tensor(prefix + "gate_up_proj").bytes;
    const std::string down = fused.tensor(prefix + "down_proj").bytes;
    apart.remove(prefix + "gate_up_proj");
    apart.remove(prefix + "down_proj");
    for (std::size_t e = 0; e < 7; ++e) {
      const std::string one = prefix + std::to_string(e);
      apart.tensors.push_back({one + ".gate_proj.weight",
                               "F32",
                               {40, 48},
                               gate_up.substr(2 * e * matrix_bytes, matrix_bytes)});
      apart.tensors.push_back({one + ".up_proj.weight",
                               "F32",
                               {40, 48},
                               gate_up.substr((2 * e + 1) * matrix_bytes, matrix_bytes)});
      apart.tensors.push_back({one + ".down_proj.weight",
                               "F32",
                               {48, 40},
                               down.substr(e * matrix_bytes, matrix_bytes)});
    }
  }
  CHECK(all_values(fused, 1) == all_values(apart, 1));
  CHECK(all_values(fused, 1) == all_values(apart, 2));
}

TEST_CASE("what a file keeps of a shared expert of no size does not matter",
          "[gpu][checkpoint][sparse]") {
  model_shape shape = small_sparse_shape();
  shape.sparse.shared_intermediate = 0;
  synthetic_checkpoint checkpoint = make_checkpoint(shape, {}, 7);
  const auto values = all_values(checkpoint, 1);
  const std::string prefix = "model.layers.1.mlp.shared_expert";
  checkpoint.tensors.push_back({prefix + ".up_proj.weight", "BF16", {0, 48}, ""});
  checkpoint.tensors.push_back({prefix + "_gate.weight", "BF16", {1, 48}, std::string(96, 'x')});
  CHECK(all_values(checkpoint, 1) == values);
}

TEST_CASE("a model's experts are all there and no more", "[gpu][checkpoint][sparse]") {
  synthetic_checkpoint apart = make_checkpoint(small_sparse_shape(), {.fused_experts = false}, 5);
  const std::string last = "model.layers.3.mlp.experts.6.down_proj.weight";
  const written_tensor kept = apart.tensor(last);
  apart.remove(last);
  CHECK_THAT(failure_of(apart), Contains(last) && Contains("missing"));
  apart.tensors.push_back(kept);
  apart.tensors.push_back(kept);
  apart.tensors.back().name = "model.layers.3.mlp.experts.7.down_proj.weight";
  CHECK_THAT(failure_of(apart), Contains("experts.7.down_proj") && Contains("no place"));

  synthetic_checkpoint fused = make_checkpoint(small_sparse_shape(), {}, 5);
  fused.tensor("model.layers.0.mlp.experts.gate_up_proj").dims = {7, 48, 80};
  CHECK_THAT(failure_of(fused), Contains("[7, 48, 80]") && Contains("[7, 80, 48]"));
  fused = make_checkpoint(small_sparse_shape(), {}, 5);
  fused.remove("model.layers.2.mlp.experts.down_proj");
  CHECK_THAT(failure_of(fused), Contains("layers.2.mlp.experts.down_proj"));

  synthetic_checkpoint next = make_checkpoint(small_next_shape(), {}, 5);
  next.remove("model.layers.0.linear_attn.in_proj_ba.weight");
  CHECK_THAT(failure_of(next), Contains("in_proj_ba") && Contains("[18, 48]"));
}

TEST_CASE("views outlive the loader as long as the storage is kept", "[gpu][checkpoint]") {
  const temporary_folder folder;
  make_checkpoint(small_shape(), {}, 3).write(folder.path(), 2);
  tensor_view norm;
  std::shared_ptr<const void> storage;
  {
    result<model_weights> weights = load_checkpoint(folder.path());
    REQUIRE(weights.ok());
    norm = weights->final_norm;
    storage = weights->storage;
  }
  CHECK(values_of(norm).size() == 48);
}

TEST_CASE("a missing tensor is named with the shape it should have", "[gpu][checkpoint]") {
  const char* name =
      GENERATE("model.norm.weight", "lm_head.weight", "model.layers.1.self_attn.k_norm.weight",
               "model.layers.2.linear_attn.A_log", "model.layers.3.mlp.up_proj.weight");
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {}, 5);
  checkpoint.remove(name);
  const std::string message = failure_of(checkpoint);
  CHECK_THAT(message, Contains(name));
  CHECK_THAT(message, Contains("missing"));
}

TEST_CASE("a checkpoint without an embedding says where it looked", "[gpu][checkpoint]") {
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {}, 5);
  checkpoint.remove("model.embed_tokens.weight");
  CHECK_THAT(failure_of(checkpoint), Contains("model.language_model.embed_tokens.weight"));
}

TEST_CASE("a misshapen tensor is named with both shapes", "[gpu][checkpoint]") {
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {}, 5);
  checkpoint.tensor("model.layers.0.linear_attn.in_proj_z.weight").dims = {48, 216};
  const std::string message = failure_of(checkpoint);
  CHECK_THAT(message, Contains("model.layers.0.linear_attn.in_proj_z.weight"));
  CHECK_THAT(message, Contains("[48, 216]"));
  CHECK_THAT(message, Contains("[216, 48]"));
}

TEST_CASE("a needed tensor of a type nobody reads is refused", "[gpu][checkpoint]") {
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {}, 5);
  checkpoint.tensor("model.layers.0.mlp.up_proj.weight").type = "F8_E4M3";
  const std::string message = failure_of(checkpoint);
  CHECK_THAT(message, Contains("F8_E4M3"));
  CHECK_THAT(message, Contains("BF16"));
}

TEST_CASE("a skipped tensor may be of any type", "[gpu][checkpoint]") {
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {.wrapped = true}, 5);
  checkpoint.tensor("mtp.fc.weight").type = "F8_E4M3";
  const temporary_folder folder;
  checkpoint.write(folder.path());
  CHECK(load_checkpoint(folder.path()).ok());
}

TEST_CASE("a text tensor that nobody would read is refused", "[gpu][checkpoint]") {
  const char* name =
      GENERATE("model.layers.1.self_attn.q_proj.bias", "model.layers.4.input_layernorm.weight",
               "model.layers.0.mlp.experts.0.up_proj.weight");
  synthetic_checkpoint checkpoint = make_checkpoint(small_shape(), {}, 5);
  checkpoint.tensors.push_back(make_tensor(name, element_type::float32, {2}, {1, 2}));
  CHECK_THAT(failure_of(checkpoint), Contains(name));
}

TEST_CASE("a folder without a model is unavailable and named", "[gpu][checkpoint]") {
  const temporary_folder folder;
  const result<model_weights> nothing = load_checkpoint(folder.path() / "absent");
  REQUIRE_FALSE(nothing.ok());
  CHECK(nothing.error().kind == failure_kind::unavailable);
  CHECK_THAT(nothing.error().message, Contains("absent/config.json"));
  write_file(folder.path() / "config.json", make_checkpoint(small_shape(), {}, 1).config);
  const result<model_weights> empty = load_checkpoint(folder.path());
  REQUIRE_FALSE(empty.ok());
  CHECK(empty.error().kind == failure_kind::unavailable);
  CHECK_THAT(empty.error().message, Contains("model.safetensors"));
}

}  // namespace
}  // namespace weft::gpu
