#include "tests/gpu/golden.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "gpu/checkpoint/checkpoint.hpp"
#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu::testing {
namespace {

using nlohmann::json;

golden_run read_run(const json& from) {
  golden_run run;
  run.logits = from.at("logits").get<std::vector<double>>();
  run.generated = from.at("generated").get<token_ids>();
  for (const auto& [layer, norm] : from.at("state_norm").items()) {
    run.state_norm[std::stoul(layer)] = norm.get<double>();
  }
  return run;
}

}  // namespace

std::string tiny_model_folder() { return WEFT_SOURCE_DIR "/examples/models/tiny-qwen3_5"; }

model_weights tiny_model() {
  result<model_weights> weights = load_checkpoint(tiny_model_folder());
  REQUIRE(weights.ok());
  return std::move(weights).value();
}

std::vector<golden_prompt> golden_prompts() {
  std::vector<golden_prompt> prompts;
  for (const json& from : json::parse(read_file(tiny_model_folder() + "/golden.json"))) {
    golden_prompt prompt;
    prompt.task = from.at("task").get<std::string>();
    prompt.segments = from.at("ids").get<std::vector<token_ids>>();
    prompt.reference_logits = from.at("reference_logits").get<std::vector<double>>();
    for (const char* name : {"full", "transition_w8", "transition_w0", "addition_w0", "stitched",
                             "stitched_anchored"}) {
      prompt.runs[name] = read_run(from.at(name));
    }
    prompts.push_back(std::move(prompt));
  }
  REQUIRE(prompts.size() == 5);
  return prompts;
}

token_ids golden_anchor() {
  return {2046, 82,  88,  628,  329,  198, 32,   77,  82,  559, 267, 220, 354, 361, 353, 308,  81,
          285,  267, 671, 13,   2047, 198, 2046, 315, 262, 198, 300, 25,  419, 377, 299, 1481, 198,
          1093, 377, 299, 1481, 473,  346, 267,  461, 398, 268, 74,  13,  419, 377, 299, 1481, 320,
          220,  19,  16,  15,   15,   466, 13,   279, 506, 320, 220, 17,  15,  505, 13,  279,  449,
          283,  419, 377, 299,  1481, 293, 423,  317, 766, 397, 312, 797, 78,  301};
}

double largest_difference(const std::vector<double>& a, const std::vector<double>& b) {
  REQUIRE(a.size() == b.size());
  double largest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  return largest;
}

}  // namespace weft::gpu::testing
