#include "tests/gpu/checkpoint_writer.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <random>
#include <sstream>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <stdlib.h>

namespace weft::gpu::testing {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

std::uint16_t to_float16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const auto sign = static_cast<std::uint16_t>((bits >> 16) & 0x8000u);
  const int exponent = static_cast<int>((bits >> 23) & 0xffu) - 112;
  if (((bits >> 23) & 0xffu) == 0xffu) {
    return static_cast<std::uint16_t>(sign | 0x7c00u | ((bits & 0x7fffffu) != 0 ? 0x200u : 0u));
  }
  if (exponent <= 0) return sign;
  if (exponent >= 31) return static_cast<std::uint16_t>(sign | 0x7bffu);
  return static_cast<std::uint16_t>(sign | (static_cast<unsigned>(exponent) << 10) |
                                    ((bits >> 13) & 0x3ffu));
}

void append_element(std::string& bytes, element_type type, float value) {
  char raw[4] = {};
  std::size_t size = 2;
  if (type == element_type::float32) {
    std::memcpy(raw, &value, size = 4);
  } else if (type == element_type::float16) {
    const std::uint16_t half = to_float16(value);
    std::memcpy(raw, &half, size);
  } else {
    const auto half = static_cast<std::uint16_t>(std::bit_cast<std::uint32_t>(value) >> 16);
    std::memcpy(raw, &half, size);
  }
  bytes.append(raw, size);
}

std::string type_name(element_type type) {
  switch (type) {
    case element_type::bfloat16: return "BF16";
    case element_type::float16: return "F16";
    case element_type::float32: break;
  }
  return "F32";
}

// Makes tensors with names under one prefix out of one stream of random numbers.
class tensor_maker {
 public:
  tensor_maker(synthetic_checkpoint& into, element_type type, std::uint64_t seed)
      : into_(into), type_(type), random_(seed) {}

  void uniform(const std::string& name, std::vector<std::int64_t> dims, float low, float high) {
    add(name, type_, std::move(dims), low, high);
  }
  void matrix(const std::string& name, std::int64_t rows, std::int64_t columns) {
    const float bound = std::sqrt(3.0f / static_cast<float>(columns));
    add(name, type_, {rows, columns}, -bound, bound);
  }
  void float32(const std::string& name, std::vector<std::int64_t> dims, float low, float high) {
    add(name, element_type::float32, std::move(dims), low, high);
  }

 private:
  void add(const std::string& name, element_type type, std::vector<std::int64_t> dims, float low,
           float high) {
    std::int64_t elements = 1;
    for (const std::int64_t dim : dims) elements *= dim;
    std::uniform_real_distribution<float> draw(low, high);
    std::vector<float> values(static_cast<std::size_t>(elements));
    for (float& value : values) value = draw(random_);
    into_.tensors.push_back(make_tensor(name, type, std::move(dims), values));
  }

  synthetic_checkpoint& into_;
  element_type type_;
  std::mt19937_64 random_;
};

void add_linear(tensor_maker& make, const std::string& prefix, const model_shape& shape) {
  const gated_delta_shape& linear = shape.linear;
  const std::int64_t values = linear.value_heads * linear.value_dim;
  if (linear.grouped_projections) {
    make.matrix(prefix + "in_proj_qkvz.weight", linear.conv_channels() + values, shape.hidden);
    make.matrix(prefix + "in_proj_ba.weight", 2 * linear.value_heads, shape.hidden);
  } else {
    make.matrix(prefix + "in_proj_qkv.weight", linear.conv_channels(), shape.hidden);
    make.matrix(prefix + "in_proj_z.weight", values, shape.hidden);
    make.matrix(prefix + "in_proj_b.weight", linear.value_heads, shape.hidden);
    make.matrix(prefix + "in_proj_a.weight", linear.value_heads, shape.hidden);
  }
  make.uniform(prefix + "conv1d.weight", {linear.conv_channels(), 1, linear.conv_kernel}, -1, 1);
  make.float32(prefix + "A_log", {linear.value_heads}, -2, 1);
  make.uniform(prefix + "dt_bias", {linear.value_heads}, -3, 0);
  make.float32(prefix + "norm.weight", {linear.value_dim}, 0.5f, 1.5f);
  make.matrix(prefix + "out_proj.weight", shape.hidden, values);
}

void add_attention(tensor_maker& make, const std::string& prefix, const model_shape& shape) {
  const attention_shape& attention = shape.attention;
  const std::int64_t queries = attention.heads * attention.head_dim;
  const std::int64_t keys = attention.key_value_heads * attention.head_dim;
  make.matrix(prefix + "q_proj.weight", 2 * queries, shape.hidden);
  make.matrix(prefix + "k_proj.weight", keys, shape.hidden);
  make.matrix(prefix + "v_proj.weight", keys, shape.hidden);
  make.matrix(prefix + "o_proj.weight", shape.hidden, queries);
  make.uniform(prefix + "q_norm.weight", {attention.head_dim}, -0.3f, 0.3f);
  make.uniform(prefix + "k_norm.weight", {attention.head_dim}, -0.3f, 0.3f);
}

void add_swiglu(tensor_maker& make, const std::string& prefix, std::int64_t hidden,
                std::int64_t intermediate) {
  make.matrix(prefix + "gate_proj.weight", intermediate, hidden);
  make.matrix(prefix + "up_proj.weight", intermediate, hidden);
  make.matrix(prefix + "down_proj.weight", hidden, intermediate);
}

void add_experts(tensor_maker& make, const std::string& prefix, const model_shape& shape,
                 bool fused) {
  const sparse_shape& sparse = shape.sparse;
  const std::int64_t inner = sparse.intermediate;
  make.matrix(prefix + "gate.weight", sparse.experts, shape.hidden);
  if (fused) {
    make.uniform(prefix + "experts.gate_up_proj", {sparse.experts, 2 * inner, shape.hidden}, -0.2f,
                 0.2f);
    make.uniform(prefix + "experts.down_proj", {sparse.experts, shape.hidden, inner}, -0.2f, 0.2f);
  } else {
    for (std::int64_t i = 0; i < sparse.experts; ++i) {
      add_swiglu(make, prefix + "experts." + std::to_string(i) + ".", shape.hidden, inner);
    }
  }
  if (sparse.shared_intermediate == 0) return;
  add_swiglu(make, prefix + "shared_expert.", shape.hidden, sparse.shared_intermediate);
  make.matrix(prefix + "shared_expert_gate.weight", 1, shape.hidden);
}

// The fields that only models with experts have.
void describe_experts(const model_shape& shape, json& text) {
  if (shape.sparse_layers() == 0) return;
  text["num_experts"] = shape.sparse.experts;
  text["num_experts_per_tok"] = shape.sparse.experts_per_token;
  text["moe_intermediate_size"] = shape.sparse.intermediate;
  text["shared_expert_intermediate_size"] = shape.sparse.shared_intermediate;
  if (shape.intermediate == 0) text.erase("intermediate_size");
  if (!shape.sparse.renormalise) text["norm_topk_prob"] = false;
  json dense = json::array();
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    if (shape.feed_of(i) == feed_kind::dense) dense.push_back(i);
  }
  if (!dense.empty()) text["mlp_only_layers"] = dense;
}

// "Qwen3_5Moe" and the like: what class names of the architecture begin with.
std::string class_of(const model_shape& shape) {
  if (shape.architecture == "qwen3_next") return "Qwen3Next";
  return shape.architecture == "qwen3_5_moe_text" ? "Qwen3_5Moe" : "Qwen3_5";
}

std::string config_of(const model_shape& shape, bool wrapped) {
  json layers = json::array();
  for (const layer_kind kind : shape.layers) {
    layers.push_back(kind == layer_kind::linear ? "linear_attention" : "full_attention");
  }
  const double factor = static_cast<double>(shape.attention.rotary_dim) /
                        static_cast<double>(shape.attention.head_dim);
  json text = {
      {"model_type", shape.architecture},
      {"attention_bias", false},
      {"attn_output_gate", true},
      {"eos_token_id", shape.end_tokens},
      {"head_dim", shape.attention.head_dim},
      {"hidden_act", "silu"},
      {"hidden_size", shape.hidden},
      {"intermediate_size", shape.intermediate},
      {"num_hidden_layers", shape.layers.size()},
      {"num_attention_heads", shape.attention.heads},
      {"num_key_value_heads", shape.attention.key_value_heads},
      {"linear_conv_kernel_dim", shape.linear.conv_kernel},
      {"linear_key_head_dim", shape.linear.key_dim},
      {"linear_num_key_heads", shape.linear.key_heads},
      {"linear_num_value_heads", shape.linear.value_heads},
      {"linear_value_head_dim", shape.linear.value_dim},
      {"layer_types", layers},
      {"max_position_embeddings", shape.positions_max},
      {"rms_norm_eps", shape.norm_epsilon},
      {"tie_word_embeddings", shape.tied_embeddings},
      {"vocab_size", shape.vocabulary},
      {"rope_parameters",
       {{"rope_type", "default"},
        {"rope_theta", shape.attention.rope_theta},
        {"partial_rotary_factor", factor}}},
  };
  describe_experts(shape, text);
  if (!wrapped) {
    text["architectures"] = {class_of(shape) + "ForCausalLM"};
    return text.dump(1);
  }
  // Qwen3-Next has no wrapped form of its own; its text layout is found in one all the same.
  const bool next = shape.architecture == "qwen3_next";
  const std::string ending = next ? "ForCausalLM" : "ForConditionalGeneration";
  const std::string outer_type =
      next ? shape.architecture : shape.architecture.substr(0, shape.architecture.size() - 5);
  const json outer = {{"architectures", {class_of(shape) + ending}},
                      {"model_type", outer_type},
                      {"tie_word_embeddings", shape.tied_embeddings},
                      {"text_config", text},
                      {"vision_config", {{"depth", 2}}}};
  return outer.dump(1);
}

}  // namespace

temporary_folder::temporary_folder() {
  std::string pattern = (fs::temp_directory_path() / "weft-test-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  path_ = pattern;
}

temporary_folder::~temporary_folder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

void write_file(const fs::path& path, std::string_view content) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  out.close();
  REQUIRE(out.good());
}

std::string read_file(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  REQUIRE(in.good());
  std::ostringstream content;
  content << in.rdbuf();
  return content.str();
}

written_tensor make_tensor(std::string name, element_type type, std::vector<std::int64_t> dims,
                           const std::vector<float>& values) {
  written_tensor tensor{std::move(name), type_name(type), std::move(dims), {}};
  for (const float value : values) append_element(tensor.bytes, type, value);
  return tensor;
}

std::string safetensors_file(const std::vector<written_tensor>& tensors) {
  json header = {{"__metadata__", {{"format", "pt"}}}};
  std::string data;
  for (const written_tensor& tensor : tensors) {
    header[tensor.name] = {{"dtype", tensor.type},
                           {"shape", tensor.dims},
                           {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
    data += tensor.bytes;
  }
  return safetensors_file(header.dump(), data);
}

std::string safetensors_file(std::string_view header, std::string_view data) {
  std::string file;
  const std::uint64_t length = header.size();
  for (int i = 0; i < 8; ++i) file.push_back(static_cast<char>((length >> (8 * i)) & 0xffu));
  file.append(header);
  file.append(data);
  return file;
}

written_tensor& synthetic_checkpoint::tensor(std::string_view name) {
  const auto found = std::find_if(tensors.begin(), tensors.end(),
                                  [&](const written_tensor& one) { return one.name == name; });
  REQUIRE(found != tensors.end());
  return *found;
}

void synthetic_checkpoint::remove(std::string_view name) {
  REQUIRE(std::erase_if(tensors, [&](const written_tensor& one) { return one.name == name; }) == 1);
}

void synthetic_checkpoint::write(const fs::path& folder, int shards) const {
  write_file(folder / "config.json", config);
  if (shards == 1) {
    write_file(folder / "model.safetensors", safetensors_file(tensors));
    return;
  }
  std::vector<std::vector<written_tensor>> parts(static_cast<std::size_t>(shards));
  json weight_map = json::object();
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const std::size_t part = i % parts.size();
    parts[part].push_back(tensors[i]);
    weight_map[tensors[i].name] = "model-" + std::to_string(part + 1) + ".safetensors";
  }
  for (std::size_t part = 0; part < parts.size(); ++part) {
    write_file(folder / ("model-" + std::to_string(part + 1) + ".safetensors"),
               safetensors_file(parts[part]));
  }
  const json index = {{"metadata", {{"total_size", 0}}}, {"weight_map", weight_map}};
  write_file(folder / "model.safetensors.index.json", index.dump(1));
}

model_shape small_shape() {
  using enum layer_kind;
  return {
      .architecture = "qwen3_5_text",
      .vocabulary = 97,
      .hidden = 48,
      .intermediate = 80,
      .layers = {linear, attention, linear, linear},
      .feeds = {},
      .attention =
          {.heads = 6, .key_value_heads = 2, .head_dim = 32, .rotary_dim = 8, .rope_theta = 1e6},
      .linear =
          {.key_heads = 3, .value_heads = 9, .key_dim = 16, .value_dim = 24, .conv_kernel = 3},
      .sparse = {},
      .norm_epsilon = 1e-6,
      .tied_embeddings = false,
      .positions_max = 4096,
      .end_tokens = {96, 3},
  };
}

model_shape small_sparse_shape() {
  model_shape shape = small_shape();
  shape.architecture = "qwen3_5_moe_text";
  shape.intermediate = 0;
  shape.feeds.assign(4, feed_kind::sparse);
  shape.sparse = {
      .experts = 7, .experts_per_token = 3, .intermediate = 40, .shared_intermediate = 24};
  return shape;
}

model_shape small_next_shape() {
  model_shape shape = small_sparse_shape();
  shape.architecture = "qwen3_next";
  shape.intermediate = 80;
  shape.feeds[1] = feed_kind::dense;
  shape.linear.grouped_projections = true;
  shape.sparse.renormalise = false;
  return shape;
}

synthetic_checkpoint make_checkpoint(const model_shape& shape, const checkpoint_layout& layout,
                                     std::uint64_t seed) {
  synthetic_checkpoint checkpoint;
  checkpoint.config = config_of(shape, layout.wrapped);
  const std::string prefix = layout.wrapped ? "model.language_model." : "model.";
  tensor_maker make(checkpoint, layout.type, seed);
  make.uniform(prefix + "embed_tokens.weight", {shape.vocabulary, shape.hidden}, -1, 1);
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    const std::string layer = prefix + "layers." + std::to_string(i) + ".";
    make.uniform(layer + "input_layernorm.weight", {shape.hidden}, -0.3f, 0.3f);
    make.uniform(layer + "post_attention_layernorm.weight", {shape.hidden}, -0.3f, 0.3f);
    if (shape.layers[i] == layer_kind::linear) {
      add_linear(make, layer + "linear_attn.", shape);
    } else {
      add_attention(make, layer + "self_attn.", shape);
    }
    if (shape.feed_of(i) == feed_kind::sparse) {
      add_experts(make, layer + "mlp.", shape, layout.fused_experts);
    } else {
      add_swiglu(make, layer + "mlp.", shape.hidden, shape.intermediate);
    }
  }
  make.uniform(prefix + "norm.weight", {shape.hidden}, -0.3f, 0.3f);
  if (!shape.tied_embeddings) make.matrix("lm_head.weight", shape.vocabulary, shape.hidden);
  if (layout.wrapped) {
    make.matrix("model.visual.patch_embed.proj.weight", 8, 12);
    make.matrix("mtp.fc.weight", shape.hidden, 2 * shape.hidden);
    make.matrix("mtp.layers.0.mlp.experts.0.up_proj.weight", 8, shape.hidden);
  }
  return checkpoint;
}

}  // namespace weft::gpu::testing
