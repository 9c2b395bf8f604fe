// The host engine against the float64 model, on random checkpoints of odd sizes and in the modes
// that no golden file holds.
#include <random>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "gpu/reference/prompt_reference.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/chosen_instructions.hpp"
#include "tests/gpu/golden.hpp"
#include "tests/gpu/prompt_on_engine.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned seed = 1618;

std::vector<token_ids> random_prompt(std::int64_t vocabulary) {
  std::mt19937 random(seed);
  std::vector<token_ids> segments;
  for (const std::size_t count : {11, 40, 1, 130, 70, 5}) {
    token_ids ids(count);
    for (token_id& id : ids)
      id = static_cast<token_id>(random() % static_cast<unsigned>(vocabulary));
    segments.push_back(std::move(ids));
  }
  return segments;
}

void check_all_modes(const model_weights& weights) {
  auto made = host_engine::make(weights, {.instructions = testing::chosen_instructions()});
  if (!made) FAIL(made.error().message);
  const reference::model_reference model(weights);
  const auto segments = random_prompt(weights.shape.vocabulary);
  const auto largest_gap = [&](const prompt_result& found, const reference::prompt_result& wanted) {
    return testing::largest_difference({found.logits.begin(), found.logits.end()}, wanted.logits);
  };
  entry_shelf none;
  const auto full = run_prompt(**made, segments, {.splices = false, .new_tokens_max = 1}, none);
  CHECK(largest_gap(full, reference::run_full(model, segments)) < 1e-4);

  const token_ids anchor(segments[3].begin(), segments[3].begin() + 33);
  for (const seam cut : {seam{0, 0}, seam{8, 0}, seam{8, 16}, seam{3, 5}})
    for (const bool apply : {true, false})
      for (const bool turn : {true, false})
        for (const bool anchored : {false, true}) {
          INFO("head " << cut.head_tokens << ", tail " << cut.tail_tokens << ", T " << apply
                       << ", turned " << turn << ", anchored " << anchored << ", seed " << seed);
          const token_ids behind = anchored ? anchor : token_ids{};
          entry_shelf shelf;
          const auto found = run_prompt(**made, segments,
                                        {.cut = cut,
                                         .apply_transition = apply,
                                         .turn_keys = turn,
                                         .anchor = behind,
                                         .new_tokens_max = 1},
                                        shelf);
          const auto wanted =
              reference::run_spliced(model, segments,
                                     {.head_tokens = cut.head_tokens,
                                      .tail_tokens = cut.tail_tokens,
                                      .how = {.apply_transition = apply, .turn_keys = turn},
                                      .anchor = behind});
          CHECK(wanted.spliced_tokens >= 40 + 130 + 70 - 3 * (cut.head_tokens + cut.tail_tokens));
          CHECK(largest_gap(found, wanted) < 1e-3);
        }
}

}  // namespace

TEST_CASE("odd sizes agree with the float64 model in every mode", "[gpu][engine][reference]") {
  if (!testing::can_run_chosen_instructions()) return;
  for (const bool tied : {false, true}) {
    model_shape shape = testing::small_shape();
    shape.tied_embeddings = tied;
    INFO("conv kernel " << shape.linear.conv_kernel << ", tied " << tied);
    const auto weights = random_weights(shape, seed);
    if (!weights) FAIL(weights.error().message);
    check_all_modes(*weights);
  }
}

TEST_CASE("grouped projections and experts agree with the float64 model in every mode",
          "[gpu][engine][reference][sparse]") {
  if (!testing::can_run_chosen_instructions()) return;
  const auto weights = random_weights(testing::small_next_shape(), seed);
  if (!weights) FAIL(weights.error().message);
  check_all_modes(*weights);
}

TEST_CASE("keys left at their local positions agree with the float64 model",
          "[gpu][engine][reference]") {
  if (!testing::can_run_chosen_instructions()) return;
  const auto engine = bundled_engine();
  const reference::model_reference model(testing::tiny_model());
  const testing::golden_prompt prompt = testing::golden_prompts()[1];
  entry_shelf shelf;
  const auto found = run_prompt(*engine, prompt.segments,
                                {.cut = {0, 0}, .turn_keys = false, .new_tokens_max = 1}, shelf);
  const auto wanted = reference::run_spliced(
      model, prompt.segments,
      {.head_tokens = 0, .tail_tokens = 0, .how = {.turn_keys = false}, .anchor = {}});
  CHECK(wanted.spliced_tokens > 100);
  CHECK(testing::largest_difference({found.logits.begin(), found.logits.end()}, wanted.logits) <
        1e-3);
}

}  // namespace weft::gpu
