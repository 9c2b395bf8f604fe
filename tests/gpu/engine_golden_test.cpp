// The bundled checkpoint's golden values, through the door alone.
#include <algorithm>

#include <catch2/catch.hpp>

#include "tests/gpu/chosen_instructions.hpp"
#include "tests/gpu/golden.hpp"
#include "tests/gpu/prompt_on_engine.hpp"

namespace weft::gpu {
namespace {

std::vector<double> widened(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

}  // namespace

TEST_CASE("the engine gives the public implementation's logits", "[gpu][engine][long]") {
  if (!testing::can_run_chosen_instructions()) return;
  const auto engine = bundled_engine();
  for (const testing::golden_prompt& prompt : testing::golden_prompts()) {
    entry_shelf shelf;
    const auto full = run_prompt(*engine, prompt.segments, {.splices = false}, shelf);
    CHECK(testing::largest_difference(widened(full.logits), prompt.reference_logits) < 1e-4);
    CHECK(full.generated == prompt.runs.at("full").generated);
  }
}

TEST_CASE("every construction gives its golden logits and text", "[gpu][engine][long]") {
  if (!testing::can_run_chosen_instructions()) return;
  const auto engine = bundled_engine();
  struct row {
    const char* name;
    prompt_on_engine_options options;
  };
  const std::vector<row> rows = {
      {"transition_w8", {.cut = {8, 0}}},
      {"transition_w0", {.cut = {0, 0}}},
      {"addition_w0", {.cut = {0, 0}, .apply_transition = false}},
      {"stitched", {.cut = {8, 16}}},
      {"stitched_anchored", {.cut = {8, 16}, .anchor = testing::golden_anchor()}},
  };
  for (const testing::golden_prompt& prompt : testing::golden_prompts())
    for (const row& each : rows) {
      INFO(each.name);
      const testing::golden_run& golden = prompt.runs.at(each.name);
      entry_shelf shelf;
      const auto made = run_prompt(*engine, prompt.segments, each.options, shelf);
      const auto entries =
          std::count_if(shelf.begin(), shelf.end(), [](const auto& one) { return one != nullptr; });
      CHECK(entries >= 2);
      CHECK(testing::largest_difference(widened(made.logits), golden.logits) < 1e-3);
      CHECK(made.generated == golden.generated);
    }
}

}  // namespace weft::gpu
