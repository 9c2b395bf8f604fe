#include "gpu/checkpoint/model_config.hpp"

#include <functional>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;
using nlohmann::json;

result<model_shape> read(const json& config, const std::string& generation = "") {
  const temporary_folder folder;
  write_file(folder.path() / "config.json", config.dump());
  if (!generation.empty()) write_file(folder.path() / "generation_config.json", generation);
  return read_shape(folder.path() / "config.json");
}

json small_config(bool wrapped = false) {
  return json::parse(make_checkpoint(small_shape(), {.wrapped = wrapped}, 1).config);
}

std::string failure_of(const json& config, const std::string& generation = "") {
  const result<model_shape> shape = read(config, generation);
  REQUIRE_FALSE(shape.ok());
  CHECK(shape.error().kind == failure_kind::rejected);
  return shape.error().message;
}

TEST_CASE("a configuration says every size, plain or wrapped", "[gpu][model_config]") {
  const result<model_shape> shape = read(small_config(GENERATE(false, true)));
  REQUIRE(shape.ok());
  const model_shape expected = small_shape();
  CHECK(shape->architecture == expected.architecture);
  CHECK(shape->vocabulary == expected.vocabulary);
  CHECK(shape->hidden == expected.hidden);
  CHECK(shape->intermediate == expected.intermediate);
  CHECK(shape->layers == expected.layers);
  CHECK(shape->attention.heads == 6);
  CHECK(shape->attention.key_value_heads == 2);
  CHECK(shape->attention.head_dim == 32);
  CHECK(shape->attention.rotary_dim == 8);
  CHECK(shape->attention.rope_theta == 1e6);
  CHECK(shape->linear.key_heads == 3);
  CHECK(shape->linear.value_heads == 9);
  CHECK(shape->linear.key_dim == 16);
  CHECK(shape->linear.value_dim == 24);
  CHECK(shape->linear.conv_kernel == 3);
  CHECK(shape->norm_epsilon == 1e-6);
  CHECK(shape->positions_max == 4096);
  CHECK(shape->end_tokens == token_ids{96, 3});
  CHECK_FALSE(shape->tied_embeddings);
}

json sparse_config() { return json::parse(make_checkpoint(small_sparse_shape(), {}, 1).config); }
json next_config() { return json::parse(make_checkpoint(small_next_shape(), {}, 1).config); }

TEST_CASE("a configuration says which layers have experts, and how many", "[gpu][model_config]") {
  const model_shape expected = GENERATE(small_sparse_shape(), small_next_shape());
  const bool wrapped = GENERATE(false, true);
  const result<model_shape> shape =
      read(json::parse(make_checkpoint(expected, {.wrapped = wrapped}, 1).config));
  REQUIRE(shape.ok());
  CHECK(shape->architecture == expected.architecture);
  CHECK(shape->feeds == expected.feeds);
  CHECK(shape->intermediate == expected.intermediate);
  CHECK(shape->linear.grouped_projections == expected.linear.grouped_projections);
  CHECK(shape->sparse.experts == 7);
  CHECK(shape->sparse.experts_per_token == 3);
  CHECK(shape->sparse.intermediate == 40);
  CHECK(shape->sparse.shared_intermediate == 24);
  CHECK(shape->sparse.renormalise == expected.sparse.renormalise);
}

TEST_CASE("dense layers are those between the steps and those that are named",
          "[gpu][model_config]") {
  using enum feed_kind;
  json config = GENERATE(sparse_config(), next_config());
  config["intermediate_size"] = 80;
  config["decoder_sparse_step"] = 2;
  config["mlp_only_layers"] = {1, 9};
  const result<model_shape> shape = read(config);
  REQUIRE(shape.ok());
  CHECK(shape->feeds == std::vector<feed_kind>{dense, dense, dense, sparse});
  CHECK(shape->intermediate == 80);
  config.erase("intermediate_size");
  CHECK_THAT(failure_of(config), Contains("\"intermediate_size\" is missing"));
}

TEST_CASE("without experts in any layer none are asked for", "[gpu][model_config]") {
  json config = next_config();
  config["num_experts"] = 0;
  config["num_experts_per_tok"] = 10;
  const result<model_shape> none = read(config);
  REQUIRE(none.ok());
  CHECK(none->sparse_layers() == 0);
  CHECK(none->intermediate == 80);
  config = next_config();
  config["mlp_only_layers"] = {0, 1, 2, 3};
  config.erase("num_experts");
  const result<model_shape> named = read(config);
  REQUIRE(named.ok());
  CHECK(named->sparse_layers() == 0);
}

TEST_CASE("a shared expert may be of no size", "[gpu][model_config]") {
  json config = sparse_config();
  config["shared_expert_intermediate_size"] = 0;
  const result<model_shape> shape = read(config);
  REQUIRE(shape.ok());
  CHECK(shape->sparse.shared_intermediate == 0);
}

TEST_CASE("fields of experts that make no sense are named", "[gpu][model_config]") {
  struct option {
    const char* field;
    json value;
    const char* told;
  };
  const option options[] = {
      {"num_experts", nullptr, "\"num_experts\" is missing"},
      {"num_experts", -3, "\"num_experts\" is -3"},
      {"num_experts", 1 << 17, "\"num_experts\" is 131072, in"},
      {"num_experts_per_tok", nullptr, "\"num_experts_per_tok\" is missing"},
      {"num_experts_per_tok", 8, "\"num_experts_per_tok\" is 8, more than num_experts = 7"},
      {"moe_intermediate_size", 0, "\"moe_intermediate_size\" is 0"},
      {"shared_expert_intermediate_size", nullptr, "size\" is missing"},
      {"shared_expert_intermediate_size", -1, "size\" is -1"},
      {"decoder_sparse_step", 0, "\"decoder_sparse_step\" is 0"},
      {"mlp_only_layers", 2, "\"mlp_only_layers\" is 2 where a list"},
      {"mlp_only_layers", json::array({-1}), "\"mlp_only_layers\" is [-1]"},
      {"mlp_only_layers", json::array({"a"}), "\"mlp_only_layers\" is [\"a\"]"},
      {"norm_topk_prob", "no", "\"norm_topk_prob\" is \"no\""},
  };
  for (const option& one : options) {
    for (json config : {sparse_config(), next_config()}) {
      config[one.field] = one.value;
      CHECK_THAT(failure_of(config), Contains(one.told));
    }
  }
  json config = sparse_config();
  config["norm_topk_prob"] = false;
  CHECK_THAT(failure_of(config), Contains("\"norm_topk_prob\" is false; only true"));
}

TEST_CASE("grouped projections of more heads than any model has are refused",
          "[gpu][model_config]") {
  json config = next_config();
  config.erase("layer_types");
  config["full_attention_interval"] = 2;
  config["num_hidden_layers"] = 12;
  config["linear_num_key_heads"] = 4096;
  config["linear_num_value_heads"] = 4096;
  CHECK_THAT(failure_of(config), Contains("\"linear_num_key_heads\" is 4096, in 6 layers"));
  config["num_hidden_layers"] = 8;
  CHECK(read(config).ok());
}

TEST_CASE("a configuration's text is read as its file is", "[gpu][model_config]") {
  const std::string text = small_config().dump();
  const result<model_shape> shape = parse_shape("config", text);
  REQUIRE(shape.ok());
  CHECK(shape->layers == small_shape().layers);
  const result<model_shape> cut = parse_shape("config", text.substr(0, text.size() / 2));
  REQUIRE_FALSE(cut.ok());
  CHECK_THAT(cut.error().message, Catch::StartsWith("config"));
}

TEST_CASE("the configuration of a published size is read", "[gpu][model_config]") {
  const result<model_shape> shape = read(json::parse(R"({
    "architectures": ["Qwen3_5MoeForCausalLM"], "model_type": "qwen3_5_moe_text",
    "vocab_size": 248320, "hidden_size": 3072, "num_hidden_layers": 48, "num_attention_heads": 32,
    "num_key_value_heads": 2, "head_dim": 256, "linear_conv_kernel_dim": 4,
    "linear_key_head_dim": 128, "linear_value_head_dim": 128, "linear_num_key_heads": 16,
    "linear_num_value_heads": 64, "full_attention_interval": 4, "rms_norm_eps": 1e-06,
    "hidden_act": "silu", "attention_bias": false, "attn_output_gate": true,
    "max_position_embeddings": 262144, "mamba_ssm_dtype": "float32", "tie_word_embeddings": false,
    "rope_parameters": {"rope_type": "default", "rope_theta": 10000000.0,
      "partial_rotary_factor": 0.25, "mrope_interleaved": true, "mrope_section": [11, 11, 10]},
    "num_experts": 256, "num_experts_per_tok": 8, "moe_intermediate_size": 1024,
    "shared_expert_intermediate_size": 1024})"));
  REQUIRE(shape.ok());
  CHECK(shape->sparse_layers() == 48);
  CHECK(shape->linear_layers() == 36);
  CHECK(shape->sparse.experts == 256);
  CHECK(shape->intermediate == 0);
}

TEST_CASE("layers follow the interval where no list is given", "[gpu][model_config]") {
  json config = small_config();
  config.erase("layer_types");
  config["full_attention_interval"] = 2;
  const result<model_shape> shape = read(config);
  REQUIRE(shape.ok());
  using enum layer_kind;
  CHECK(shape->layers == std::vector<layer_kind>{linear, attention, linear, attention});
}

TEST_CASE("the older place of the rotary fields is read", "[gpu][model_config]") {
  json config = small_config();
  config.erase("rope_parameters");
  config["rope_theta"] = 5000;
  config["partial_rotary_factor"] = 0.5;
  config["rope_scaling"] = nullptr;
  const result<model_shape> shape = read(config);
  REQUIRE(shape.ok());
  CHECK(shape->attention.rope_theta == 5000);
  CHECK(shape->attention.rotary_dim == 16);
}

TEST_CASE("end tokens come from both files, once each", "[gpu][model_config]") {
  const result<model_shape> shape = read(small_config(), R"({"eos_token_id": [3, 5, 96]})");
  REQUIRE(shape.ok());
  CHECK(shape->end_tokens == token_ids{96, 3, 5});
  json config = small_config();
  config["eos_token_id"] = 7;
  const result<model_shape> single = read(config, R"({"eos_token_id": 8})");
  REQUIRE(single.ok());
  CHECK(single->end_tokens == token_ids{7, 8});
  config["eos_token_id"] = nullptr;
  const result<model_shape> none = read(config, "{}");
  REQUIRE(none.ok());
  CHECK(none->end_tokens.empty());
}

TEST_CASE("a wrapper's word on tied embeddings counts", "[gpu][model_config]") {
  json config = small_config(true);
  config["tie_word_embeddings"] = true;
  const result<model_shape> shape = read(config);
  REQUIRE(shape.ok());
  CHECK(shape->tied_embeddings);
}

TEST_CASE("each missing field is named", "[gpu][model_config]") {
  for (const char* name :
       {"vocab_size", "hidden_size", "intermediate_size", "num_hidden_layers",
        "num_attention_heads", "num_key_value_heads", "head_dim", "linear_num_key_heads",
        "linear_num_value_heads", "linear_key_head_dim", "linear_value_head_dim",
        "linear_conv_kernel_dim", "max_position_embeddings", "rms_norm_eps"}) {
    json config = small_config();
    config.erase(name);
    CHECK_THAT(failure_of(config), Contains("\"" + std::string(name) + "\" is missing"));
    config[name] = "many";
    CHECK_THAT(failure_of(config), Contains("\"" + std::string(name) + "\" is \"many\""));
    config[name] = -1;
    CHECK_THAT(failure_of(config), Contains("\"" + std::string(name) + "\" is -1"));
    config[name] = 0;
    CHECK_THAT(failure_of(config), Contains("\"" + std::string(name) + "\" is 0"));
  }
  json config = small_config();
  config.erase("layer_types");
  CHECK_THAT(failure_of(config), Contains("\"full_attention_interval\" is missing"));
  config = small_config();
  config.erase("rope_parameters");
  CHECK_THAT(failure_of(config), Contains("\"rope_theta\" is missing"));
}

TEST_CASE("each option that is not implemented is named with its value", "[gpu][model_config]") {
  struct option {
    const char* field;
    json value;
    const char* told;
  };
  const option options[] = {
      {"attention_bias", true, "\"attention_bias\" is true; only false"},
      {"attn_output_gate", false, "\"attn_output_gate\" is false; only true"},
      {"hidden_act", "gelu", "\"hidden_act\" is \"gelu\"; only \"silu\""},
      {"output_gate_type", "sigmoid", "\"output_gate_type\" is \"sigmoid\"; only \"silu\""},
      {"quantization_config", {{"bits", 4}}, "\"quantization_config\" is {\"bits\":4}; only"},
      {"num_experts", 256, "\"num_experts\" is 256; this architecture is dense"},
      {"use_sliding_window", true, "\"use_sliding_window\" is true; only false"},
      {"rope_scaling", {{"rope_type", "yarn"}}, "\"rope_type\" is \"yarn\"; only \"default\""},
      {"rope_scaling", {{"type", "linear"}}, "\"type\" is \"linear\"; only \"default\""},
      {"linear_conv_kernel_dim", 1, "\"linear_conv_kernel_dim\" is 1; supported are 2 to 8"},
      {"linear_conv_kernel_dim", 9, "\"linear_conv_kernel_dim\" is 9; supported are 2 to 8"},
      {"linear_num_value_heads", 8, "\"linear_num_value_heads\" is 8, not a multiple"},
      {"num_attention_heads", 5, "\"num_attention_heads\" is 5, not a multiple"},
      {"layer_types", json::array({"linear_attention"}), "\"layer_types\" is not a list"},
      {"layer_types", json::array({"linear_attention", "mamba", "mamba", "mamba"}), "\"mamba\""},
      {"rope_parameters", 3, "\"rope_parameters\" is 3"},
      {"eos_token_id", 97, "\"eos_token_id\" is 97 where ids below vocab_size = 97"},
      {"eos_token_id", json::array({1, "x"}), "\"eos_token_id\""},
      {"tie_word_embeddings", "yes", "\"tie_word_embeddings\" is \"yes\""},
      {"architectures", "Qwen3_5ForCausalLM", "\"architectures\""},
  };
  for (const option& one : options) {
    json config = small_config();
    config[one.field] = one.value;
    CHECK_THAT(failure_of(config), Contains(one.told));
  }
}

TEST_CASE("rotary factors that make no even number of dimensions are refused",
          "[gpu][model_config]") {
  for (const double factor : {0.01, 0.1, 1.5, 1e300}) {
    json config = small_config();
    config["rope_parameters"]["partial_rotary_factor"] = factor;
    CHECK_THAT(failure_of(config), Contains("partial_rotary_factor"));
  }
}

TEST_CASE("an unknown architecture is told what is supported", "[gpu][model_config]") {
  const auto refuse = [](const std::function<void(json&)>& change) {
    json config = small_config();
    change(config);
    const std::string message = failure_of(config);
    CHECK_THAT(message, Contains("Qwen3_5ForCausalLM"));
    CHECK_THAT(message, Contains("unsupported"));
  };
  refuse([](json& config) { config["model_type"] = "llama"; });
  refuse([](json& config) { config["architectures"] = {"Qwen3NextForCausalLM"}; });
  refuse([](json& config) {
    config["model_type"] = "qwen3_moe";
    config["architectures"] = {"Qwen3MoeForCausalLM"};
  });
  json nameless = small_config();
  nameless.erase("model_type");
  CHECK(read(nameless).ok());
  nameless.erase("architectures");
  CHECK_THAT(failure_of(nameless), Contains("\"model_type\" is missing"));
}

TEST_CASE("a configuration that is no object is refused", "[gpu][model_config]") {
  CHECK_THAT(failure_of(json::array()), Contains("config.json"));
  CHECK_THAT(failure_of(small_config(), "[]"), Contains("generation_config.json"));
  CHECK_THAT(failure_of(small_config(), "{"), Contains("generation_config.json"));
  CHECK_THAT(failure_of(small_config(), R"({"eos_token_id": -1})"),
             Contains("generation_config.json"));
}

}  // namespace
}  // namespace weft::gpu
