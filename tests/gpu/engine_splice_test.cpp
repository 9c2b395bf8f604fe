// Splicing on the host engine against full recomputation and against the float64 reference: whole
// tensors, per head.
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "gpu/reference/prompt_reference.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/golden.hpp"
#include "tests/gpu/prompt_on_engine.hpp"
#include "tests/gpu/random_floats.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned seed = 2718;

std::vector<token_ids> random_prompt(std::size_t documents) {
  std::mt19937 random(seed);
  const auto tokens = [&random](std::size_t count) {
    token_ids ids(count);
    for (token_id& id : ids) id = static_cast<token_id>(random() % 2045);
    return ids;
  };
  std::vector<token_ids> segments = {tokens(27)};
  for (std::size_t i = 0; i < documents; ++i) segments.push_back(tokens(30 + random() % 80));
  segments.push_back(tokens(13));
  return segments;
}

// The prompt's states, [linear layers, heads, key_dim x value_dim].
std::vector<float> states_after(host_engine& on, const std::vector<token_ids>& segments,
                                prompt_on_engine_options options, std::int64_t& spliced_tokens) {
  std::vector<float> states;
  entry_shelf shelf;
  options.new_tokens_max = 1;
  options.look = [&](const sequence& context) { states = on.copy_state(context); };
  run_prompt(on, segments, options, shelf);
  spliced_tokens = 0;
  for (const auto& each : shelf)
    if (each) spliced_tokens += each->tokens;
  return states;
}

std::span<const float> head_of(const std::vector<float>& states, std::size_t index) {
  constexpr std::size_t head_floats = 128 * 128;
  return std::span(states).subspan(index * head_floats, head_floats);
}

double norm(std::span<const double> values) {
  double squares = 0;
  for (const double value : values) squares += value * value;
  return std::sqrt(squares);
}

}  // namespace

TEST_CASE("layer 0 is spliced exactly, addition is not", "[gpu][engine][splice][long]") {
  const auto engine = bundled_engine();
  for (const std::size_t documents : {1, 6, 64}) {
    INFO(documents << " documents, seed " << seed);
    const auto segments = random_prompt(documents);
    std::int64_t spliced = 0;
    const auto full = states_after(*engine, segments, {.splices = false}, spliced);
    CHECK(spliced == 0);
    for (const seam cut : {seam{8, 0}, seam{8, 16}, seam{3, 0}}) {
      const auto jumped = states_after(*engine, segments, {.cut = cut}, spliced);
      CHECK(spliced >=
            static_cast<std::int64_t>(documents) * (30 - cut.head_tokens - cut.tail_tokens));
      for (std::size_t head = 0; head < 4; ++head)
        CHECK(testing::relative_error(head_of(jumped, head), head_of(full, head)) < 3e-6);
    }
    const auto added =
        states_after(*engine, segments, {.cut = {8, 0}, .apply_transition = false}, spliced);
    double worst = 0;
    for (std::size_t head = 0; head < 4; ++head)
      worst = std::max(worst, testing::relative_error(head_of(added, head), head_of(full, head)));
    CHECK(worst > 0.1);
    if (documents > 1)
      CHECK(testing::relative_error(std::span(added).first(4 * 128 * 128),
                                    std::span(full).first(4 * 128 * 128)) > 0.1);
  }
}

TEST_CASE("layer 0 is spliced exactly in models with experts", "[gpu][engine][splice][sparse]") {
  for (model_shape shape : {testing::small_sparse_shape(), testing::small_next_shape()}) {
    INFO(shape.architecture << ", seed " << seed);
    shape.vocabulary = 2045;
    auto weights = random_weights(shape, seed);
    REQUIRE(weights.ok());
    auto made = host_engine::make(std::move(*weights), {});
    if (!made) FAIL(made.error().message);
    const auto segments = random_prompt(6);
    std::int64_t spliced = 0;
    const auto full = states_after(**made, segments, {.splices = false}, spliced);
    for (const seam cut : {seam{8, 0}, seam{8, 16}}) {
      const auto jumped = states_after(**made, segments, {.cut = cut}, spliced);
      CHECK(spliced >= 6 * (30 - cut.head_tokens - cut.tail_tokens));
      REQUIRE(jumped.size() == full.size());
      const auto head_floats =
          static_cast<std::size_t>(shape.linear.key_dim * shape.linear.value_dim);
      const auto heads = static_cast<std::size_t>(shape.linear.value_heads);
      for (std::size_t head = 0; head < heads; ++head)
        CHECK(testing::relative_error(std::span(jumped).subspan(head * head_floats, head_floats),
                                      std::span(full).subspan(head * head_floats, head_floats)) <
              3e-6);
      // Deeper layers have not read what stands before a document.
      CHECK(testing::relative_error(std::span(jumped).subspan(heads * head_floats),
                                    std::span(full).subspan(heads * head_floats)) > 1e-4);
    }
  }
}

TEST_CASE("S_C and T agree with the float64 loop at the identity's bound",
          "[gpu][engine][splice]") {
  const auto engine = bundled_engine();
  const reference::model_reference model(testing::tiny_model());
  const testing::golden_prompt prompt = testing::golden_prompts()[0];
  for (const bool anchored : {false, true}) {
    INFO((anchored ? "behind the anchor" : "alone"));
    const token_ids anchor = anchored ? testing::golden_anchor() : token_ids{};
    entry_shelf shelf;
    run_prompt(*engine, prompt.segments, {.cut = {8, 0}, .anchor = anchor, .new_tokens_max = 1},
               shelf);
    const token_ids& ids = prompt.segments[1];
    REQUIRE(shelf[1] != nullptr);
    const entry_tensors made = engine->copy_entry(*shelf[1]);

    const std::span<const token_id> all(ids);
    reference::context alone = model.make_context();
    if (anchored) model.run(alone, anchor);
    model.run(alone, all.first(8));
    const auto before = std::get<reference::linear_memory>(alone.layers[0]).states;
    reference::entry expected = model.make_entry(alone);
    model.run(alone, all.subspan(8), &expected);
    const auto after = std::get<reference::linear_memory>(alone.layers[0]).states;
    const auto& record = std::get<reference::linear_record>(expected.layers[0]);
    for (std::size_t head = 0; head < 4; ++head) {
      const auto share = head_of(made.state, head);
      const auto wanted = record.heads[head].offset.values();
      double error = 0;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        error += std::pow(double{share[i]} - wanted[i], 2);
      const double jumped =
          norm(reference::product(record.heads[head].transition, before[head]).values());
      CHECK(std::sqrt(error) <= 3e-6 * (norm(after[head].values()) + jumped));
      if (shelf[1]->closed[head] == 0)
        CHECK(testing::relative_error(head_of(made.transition, head),
                                      record.heads[head].transition.values()) < 1e-5);
    }
  }
}

TEST_CASE("an entry of few tokens behind an anchor keeps its own precision",
          "[gpu][engine][splice]") {
  const auto engine = bundled_engine();
  const reference::model_reference model(testing::tiny_model());
  const token_ids anchor = testing::golden_anchor();
  const token_ids ids = testing::golden_prompts()[0].segments[1];
  const token_ids nine(ids.begin(), ids.begin() + 9);
  entry_shelf shelf;
  run_prompt(*engine, {{1, 2, 3}, nine, {4, 5}},
             {.cut = {8, 0}, .anchor = anchor, .new_tokens_max = 1}, shelf);
  REQUIRE(shelf[1] != nullptr);
  REQUIRE(shelf[1]->tokens == 1);
  const entry_tensors made = engine->copy_entry(*shelf[1]);
  reference::context alone = model.make_context();
  model.run(alone, anchor);
  model.run(alone, std::span(nine).first(8));
  reference::entry expected = model.make_entry(alone);
  model.run(alone, std::span(nine).subspan(8), &expected);
  const auto& record = std::get<reference::linear_record>(expected.layers[0]);
  for (std::size_t head = 0; head < 4; ++head)
    CHECK(testing::relative_error(head_of(made.state, head), record.heads[head].offset.values()) <
          3e-6);
}

}  // namespace weft::gpu
