// A published config.json turned into the sizes that the engine reads.
//
// Knows the text layouts of Qwen3.5, dense and with experts, and of Qwen3-Next, alone or wrapped in
// a multimodal one (`text_config`). An option that would change the arithmetic and is not
// implemented is refused by name: a model that runs is a model that is read right. A new family is
// a new row of the table in model_config.cpp.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "gpu/model/model_shape.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// Reads `config_file`; end tokens also from a generation_config.json beside it, where there is one.
// `rejected` names the field, its value and what is supported; `unavailable` if there is no such
// file. Bench shapes are read by this too: nothing but the configuration is needed.
result<model_shape> read_shape(const std::filesystem::path& config_file);

// The same from a config.json's text alone; failures begin with `name`.
result<model_shape> parse_shape(std::string_view name, std::string_view text);

// "Qwen3_5ForCausalLM, ...": what a user may load, for failures and `inspect`.
std::string supported_architectures();

}  // namespace weft::gpu
