#include "gpu/checkpoint/model_config.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "gpu/checkpoint/config_bounds.hpp"
#include "gpu/checkpoint/config_fields.hpp"
#include "gpu/checkpoint/json_file.hpp"
#include "gpu/checkpoint/sparse_config.hpp"

namespace weft::gpu {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr std::int64_t conv_kernel_min = 2;
constexpr std::int64_t conv_kernel_max = 8;

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// layer_types where present, else every full_attention_interval-th layer is attention.
void read_layers(config_fields& fields, model_shape& shape) {
  const std::int64_t layers = fields.count("num_hidden_layers", layers_max);
  const json* types = fields.find("layer_types");
  if (types == nullptr) {
    const std::int64_t interval = fields.count("full_attention_interval", layers_max);
    if (interval == 0) return;
    for (std::int64_t i = 0; i < layers; ++i) {
      shape.layers.push_back((i + 1) % interval == 0 ? layer_kind::attention : layer_kind::linear);
    }
    return;
  }
  if (!types->is_array() || types->size() != static_cast<std::size_t>(layers)) {
    fields.fail("field \"layer_types\" is not a list of num_hidden_layers = " +
                std::to_string(layers) + " names");
    return;
  }
  for (const json& type : *types) {
    if (type == json("linear_attention")) {
      shape.layers.push_back(layer_kind::linear);
    } else if (type == json("full_attention")) {
      shape.layers.push_back(layer_kind::attention);
    } else {
      fields.fail("field \"layer_types\" holds " + shown(type) +
                  "; supported are \"linear_attention\" and \"full_attention\"");
      return;
    }
  }
}

// rope_parameters, or the older top-level rope_theta with rope_scaling.
void read_rotary(config_fields& fields, attention_shape& attention) {
  constexpr double published_factor = 0.25;  // The public class's own default.
  double factor = fields.positive("partial_rotary_factor", published_factor);
  bool theta_found = false;
  for (const char* name : {"rope_parameters", "rope_scaling"}) {
    const json* object = fields.find(name);
    if (object == nullptr) continue;
    if (!object->is_object()) {
      fields.fail("field " + quoted(name) + " is " + shown(*object) + " where an object is wanted");
      return;
    }
    config_fields rope(fields.where() + ": " + name, *object);
    rope.require_text("rope_type", "default");
    rope.require_text("type", "default");
    factor = rope.positive("partial_rotary_factor", factor);
    if (rope.find("rope_theta") != nullptr) {
      attention.rope_theta = rope.positive("rope_theta");
      theta_found = true;
    }
    fields.adopt(rope.outcome());
  }
  if (!theta_found) attention.rope_theta = fields.positive("rope_theta");
  if (!fields.outcome()) return;
  // Truncated, as the public implementation does.
  const double rotary = static_cast<double>(attention.head_dim) * std::min(factor, 1.0);
  attention.rotary_dim = static_cast<std::int64_t>(rotary);
  if (factor > 1 || attention.rotary_dim < 2 || attention.rotary_dim % 2 != 0) {
    fields.fail("field \"partial_rotary_factor\" is " + shown(json(factor)) +
                "; supported are factors up to 1 that make an even number of rotary dimensions of "
                "head_dim = " +
                std::to_string(attention.head_dim));
  }
}

void read_heads(config_fields& fields, model_shape& shape) {
  attention_shape& attention = shape.attention;
  attention.heads = fields.count("num_attention_heads", heads_max);
  attention.key_value_heads = fields.count("num_key_value_heads", heads_max);
  attention.head_dim = fields.count("head_dim", head_dim_max);
  gated_delta_shape& linear = shape.linear;
  linear.key_heads = fields.count("linear_num_key_heads", heads_max);
  linear.value_heads = fields.count("linear_num_value_heads", heads_max);
  linear.key_dim = fields.count("linear_key_head_dim", head_dim_max);
  linear.value_dim = fields.count("linear_value_head_dim", head_dim_max);
  linear.conv_kernel = fields.count("linear_conv_kernel_dim", 1 << 20);
  if (!fields.outcome()) return;
  if (attention.heads % attention.key_value_heads != 0) {
    fields.fail(
        "field \"num_attention_heads\" is " + std::to_string(attention.heads) +
        ", not a multiple of num_key_value_heads = " + std::to_string(attention.key_value_heads));
  }
  if (linear.value_heads % linear.key_heads != 0) {
    fields.fail("field \"linear_num_value_heads\" is " + std::to_string(linear.value_heads) +
                ", not a multiple of linear_num_key_heads = " + std::to_string(linear.key_heads));
  }
  if (linear.conv_kernel < conv_kernel_min || linear.conv_kernel > conv_kernel_max) {
    fields.fail("field \"linear_conv_kernel_dim\" is " + std::to_string(linear.conv_kernel) +
                "; supported are 2 to 8");
  }
}

// Options that would change the arithmetic.
void refuse_unsupported(config_fields& fields) {
  fields.require_flag("attention_bias", false);
  fields.require_flag("attn_output_gate", true);
  fields.require_text("hidden_act", "silu");
  fields.require_text("output_gate_type", "silu");
  fields.require_flag("use_sliding_window", false);
  fields.require_absent("quantization_config", "only bf16, fp16 and fp32 weights are supported");
}

// What all families here say alike; the feed-forwards come from the caller.
model_shape read_common(config_fields& fields) {
  model_shape shape;
  refuse_unsupported(fields);
  shape.vocabulary = fields.count("vocab_size", vocabulary_max);
  shape.hidden = fields.count("hidden_size", width_max);
  shape.positions_max = fields.count("max_position_embeddings", positions_max);
  shape.norm_epsilon = fields.positive("rms_norm_eps");
  shape.tied_embeddings = fields.flag("tie_word_embeddings", false);
  read_layers(fields, shape);
  read_heads(fields, shape);
  if (fields.outcome()) read_rotary(fields, shape.attention);
  return shape;
}

model_shape read_qwen3_5(config_fields& fields) {
  fields.require_absent("num_experts",
                        "this architecture is dense; mixture-of-experts models have model_type "
                        "qwen3_5_moe or qwen3_next");
  model_shape shape = read_common(fields);
  shape.intermediate = fields.count("intermediate_size", width_max);
  return shape;
}

model_shape read_qwen3_5_moe(config_fields& fields) {
  // The public router always renormalises.
  fields.require_flag("norm_topk_prob", true);
  model_shape shape = read_common(fields);
  read_sparse(fields, shape);
  return shape;
}

model_shape read_qwen3_next(config_fields& fields) {
  model_shape shape = read_common(fields);
  shape.linear.grouped_projections = true;
  if (shape.linear_layers() * shape.linear.key_heads > groups_max) {
    fields.fail("field \"linear_num_key_heads\" is " + std::to_string(shape.linear.key_heads) +
                ", in " + std::to_string(shape.linear_layers()) + " layers; supported are " +
                std::to_string(groups_max) + " key heads in all layers together");
  }
  shape.sparse.renormalise = fields.flag("norm_topk_prob", true);
  // A model of no experts is dense throughout.
  const json* experts = fields.find("num_experts");
  if (experts != nullptr && *experts == json(0)) {
    shape.intermediate = fields.count("intermediate_size", width_max);
  } else {
    read_sparse(fields, shape);
  }
  return shape;
}

// One family: the names under which it is published and the reader of its text fields.
struct family {
  std::vector<std::string_view> model_types;
  std::vector<std::string_view> architectures;
  model_shape (*read)(config_fields& fields);
};

const std::array<family, 3> families = {{
    {.model_types = {"qwen3_5_text", "qwen3_5"},
     .architectures = {"Qwen3_5ForCausalLM", "Qwen3_5ForConditionalGeneration"},
     .read = read_qwen3_5},
    {.model_types = {"qwen3_5_moe_text", "qwen3_5_moe"},
     .architectures = {"Qwen3_5MoeForCausalLM", "Qwen3_5MoeForConditionalGeneration"},
     .read = read_qwen3_5_moe},
    {.model_types = {"qwen3_next"},
     .architectures = {"Qwen3NextForCausalLM"},
     .read = read_qwen3_next},
}};

bool lists(const std::vector<std::string_view>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// The family that model_type and architectures both allow; either may be absent, not both.
result<const family*> find_family(config_fields& fields) {
  const std::string model_type = fields.text("model_type", "");
  std::string architecture;
  if (const json* list = fields.find("architectures"); list != nullptr) {
    if (!list->is_array() || list->empty() || !list->front().is_string()) {
      fields.fail("field \"architectures\" is " + shown(*list) +
                  " where a list of names is wanted");
    } else {
      architecture = list->front().get<std::string>();
    }
  }
  if (model_type.empty() && architecture.empty()) fields.fail("field \"model_type\" is missing");
  if (status read = fields.outcome(); !read) return read.error();
  for (const family& candidate : families) {
    const bool type_fits = model_type.empty() || lists(candidate.model_types, model_type);
    const bool class_fits = architecture.empty() || lists(candidate.architectures, architecture);
    if (type_fits && class_fits) return &candidate;
  }
  return rejected(fields.where() + ": unsupported architecture " + shown(json(architecture)) +
                  " with model_type " + shown(json(model_type)) + "; supported are " +
                  supported_architectures());
}

// Adds the end tokens that `fields` names: absent, null, one id or a list.
void add_end_tokens(config_fields& fields, model_shape& shape) {
  const json* value = fields.find("eos_token_id");
  if (value == nullptr) return;
  const json list = value->is_array() ? *value : json::array({*value});
  for (const json& id : list) {
    if (!id.is_number_unsigned() ||
        id.get<std::uint64_t>() >= static_cast<std::uint64_t>(shape.vocabulary)) {
      fields.fail("field \"eos_token_id\" is " + shown(*value) + " where ids below vocab_size = " +
                  std::to_string(shape.vocabulary) + " are wanted");
      return;
    }
    const auto token = id.get<token_id>();
    if (std::find(shape.end_tokens.begin(), shape.end_tokens.end(), token) ==
        shape.end_tokens.end()) {
      shape.end_tokens.push_back(token);
    }
  }
}

status add_generation_end_tokens(const fs::path& path, model_shape& shape) {
  std::error_code ignored;
  if (!fs::exists(path, ignored)) return {};
  const result<json> generation = read_json_file(path);
  if (!generation) return generation.error();
  if (!generation->is_object()) return rejected(path.string() + " is not a JSON object");
  config_fields fields(path.string(), *generation);
  add_end_tokens(fields, shape);
  return fields.outcome();
}

// The text part of a wrapped configuration, with what only the wrapper says moved into it.
json text_part(const json& config) {
  if (!config.contains("text_config") || !config.at("text_config").is_object()) return config;
  json text = config.at("text_config");
  for (const char* name : {"tie_word_embeddings", "quantization_config"}) {
    // The wrapper owns the head and the files, so its word on them counts.
    if (config.contains(name) && !config.at(name).is_null()) text[name] = config.at(name);
  }
  return text;
}

// What config.json alone says.
result<model_shape> shape_of(const std::string& name, const json& config) {
  if (!config.is_object()) return rejected(name + " is not a JSON object");
  config_fields outer(name, config);
  const result<const family*> found = find_family(outer);
  if (!found) return found.error();

  const json text = text_part(config);
  config_fields fields(name, text);
  model_shape shape = (*found)->read(fields);
  if (status read = fields.outcome(); !read) return read.error();
  shape.architecture = fields.text("model_type", (*found)->model_types.front());
  add_end_tokens(outer, shape);
  add_end_tokens(fields, shape);
  for (const config_fields* part : {&outer, &fields}) {
    if (status read = part->outcome(); !read) return read.error();
  }
  return shape;
}

}  // namespace

result<model_shape> parse_shape(std::string_view name, std::string_view text) {
  const result<json> config = parse_json(name, text);
  if (!config) return config.error();
  return shape_of(std::string(name), *config);
}

result<model_shape> read_shape(const fs::path& config_file) {
  const result<json> config = read_json_file(config_file);
  if (!config) return config.error();
  result<model_shape> shape = shape_of(config_file.string(), *config);
  if (!shape) return shape;
  const status generation =
      add_generation_end_tokens(config_file.parent_path() / "generation_config.json", *shape);
  if (!generation) return generation.error();
  return shape;
}

std::string supported_architectures() {
  std::string text;
  for (const family& known : families) {
    for (const std::string_view name : known.architectures) {
      if (!text.empty()) text += ", ";
      text += name;
    }
  }
  return text;
}

}  // namespace weft::gpu
