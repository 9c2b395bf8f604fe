#include "tests/gpu/public_golden.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "gpu/checkpoint/checkpoint.hpp"
#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu::testing {
namespace {

std::string folder_of(const std::string& name) {
  return WEFT_SOURCE_DIR "/tests/data/models/" + name;
}

}  // namespace

std::vector<std::string> public_models() { return {"random-qwen3_5_moe", "random-qwen3_next"}; }

model_weights public_model(const std::string& name) {
  result<model_weights> weights = load_checkpoint(folder_of(name));
  if (!weights) FAIL(weights.error().message);
  weights->shape.end_tokens.clear();
  return std::move(weights).value();
}

std::vector<public_prompt> public_prompts(const std::string& name) {
  std::vector<public_prompt> prompts;
  for (const auto& from : nlohmann::json::parse(read_file(folder_of(name) + "/golden.json"))) {
    prompts.push_back({.ids = from.at("ids").get<token_ids>(),
                       .last_logits = from.at("last_logits").get<std::vector<double>>(),
                       .argmax_per_position = from.at("argmax_per_position").get<token_ids>(),
                       .generated = from.at("generated").get<token_ids>()});
  }
  REQUIRE(prompts.size() >= 5);
  return prompts;
}

}  // namespace weft::gpu::testing
