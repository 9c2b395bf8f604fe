// Mixtures of experts on the host engine: right for every number of experts, and bit for bit the
// same whoever else is in the batch.
#include "gpu/host/sparse_feed_forward.hpp"

#include <cmath>
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

constexpr unsigned seed = 577;

model_weights weights_of(const model_shape& shape) {
  auto made = random_weights(shape, seed);
  if (!made) FAIL(made.error().message);
  return std::move(made).value();
}

std::unique_ptr<host_engine> engine_of(const model_weights& weights, int threads = 2) {
  auto made = host_engine::make(
      weights, {.threads = threads, .instructions = testing::chosen_instructions()});
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}

token_ids random_ids(std::mt19937& random, std::size_t count) {
  token_ids ids(count);
  for (token_id& id : ids) id = static_cast<token_id>(random() % 96);
  return ids;
}

// The last row's logits of each prompt, all in one step, and of one more token of each, again in
// one step: the first by the prefill class, the second by the decode class. `decode_beside` rows of
// strangers decode while the prompts are read.
std::vector<std::vector<float>> run_together(host_engine& on, const std::vector<token_ids>& prompts,
                                             std::size_t decode_beside = 0) {
  std::vector<sequence> sequences;
  for (std::size_t i = 0; i < prompts.size() + decode_beside; ++i) {
    auto made = on.make_sequence();
    REQUIRE(made.ok());
    sequences.push_back(std::move(*made));
    const std::size_t tokens = i < prompts.size() ? prompts[i].size() : 1;
    REQUIRE(on.reserve(sequences.back(), {static_cast<std::int64_t>(tokens) + 2}).ok());
  }
  std::vector<std::vector<float>> logits;
  const auto step = [&](bool first) {
    step_plan plan;
    for (std::size_t i = 0; i < sequences.size(); ++i) {
      const bool mine = i < prompts.size();
      const token_ids tokens =
          mine && first ? prompts[i] : token_ids{static_cast<token_id>(i % 90)};
      const auto kind =
          first && (mine || decode_beside == 0) ? row_class::prefill : row_class::decode;
      plan.context.push_back({.target = &sequences[i],
                              .work = {run_tokens{.tokens = tokens,
                                                  .kind = kind,
                                                  .starts_grid = first && mine,
                                                  .want_logits = true}}});
    }
    auto done = run_step(on, std::move(plan));
    REQUIRE(done.ok());
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      if (done->context[i].error) FAIL(done->context[i].error->message);
      logits.push_back(done->context[i].logits);
    }
  };
  if (decode_beside > 0) {
    // Strangers need a token of their own before they decode.
    step_plan plan;
    for (std::size_t i = prompts.size(); i < sequences.size(); ++i)
      plan.context.push_back({.target = &sequences[i], .work = {run_tokens{.tokens = {1}}}});
    REQUIRE(run_step(on, std::move(plan)).ok());
  }
  step(true);
  step(false);
  return logits;
}

// Replaces a tensor's values by `value`; the values live in `kept`.
void fill(tensor_view& tensor, float value, std::vector<std::vector<float>>& kept) {
  kept.emplace_back(static_cast<std::size_t>(tensor.elements()), value);
  tensor.type = element_type::float32;
  tensor.bytes = std::as_bytes(std::span(kept.back()));
}

std::vector<float> logits_after(const model_weights& weights, const token_ids& prompt) {
  entry_shelf none;
  return run_prompt(*engine_of(weights), {prompt}, {.splices = false, .new_tokens_max = 1}, none)
      .logits;
}

std::vector<model_shape> shapes_to_try() {
  std::vector<model_shape> shapes = {testing::small_sparse_shape(), testing::small_next_shape()};
  for (const auto& [experts, per_token] :
       {std::pair<std::int64_t, std::int64_t>{1, 1}, {5, 1}, {3, 3}, {33, 10}}) {
    model_shape shape = testing::small_sparse_shape();
    shape.sparse.experts = experts;
    shape.sparse.experts_per_token = per_token;
    shapes.push_back(shape);
  }
  shapes[3].sparse.shared_intermediate = 0;
  shapes[4].sparse.intermediate = 7;
  return shapes;
}

}  // namespace

TEST_CASE("any number of experts and choices agrees with the float64 model",
          "[gpu][engine][sparse]") {
  if (!testing::can_run_chosen_instructions()) return;
  std::mt19937 random(seed);
  const token_ids prompt = random_ids(random, 90);
  for (const model_shape& shape : shapes_to_try()) {
    INFO(shape.sparse.experts << " experts, " << shape.sparse.experts_per_token << " a token, seed "
                              << seed);
    const model_weights weights = weights_of(shape);
    const reference::model_reference model(weights);
    const auto wanted = reference::run_full(model, {prompt});
    const auto found = logits_after(weights, prompt);
    CHECK(testing::largest_difference({found.begin(), found.end()}, wanted.logits) < 1e-4);
  }
}

TEST_CASE("a row's bits do not depend on who shares its experts", "[gpu][engine][sparse]") {
  if (!testing::can_run_chosen_instructions()) return;
  std::mt19937 random(seed);
  const std::vector<token_ids> prompts = {random_ids(random, 1), random_ids(random, 70),
                                          random_ids(random, 3), random_ids(random, 200),
                                          random_ids(random, 17)};
  for (const model_shape& shape : shapes_to_try()) {
    INFO(shape.sparse.experts << " experts, " << shape.sparse.experts_per_token << " a token, seed "
                              << seed);
    const model_weights weights = weights_of(shape);
    const auto engine = engine_of(weights);
    const auto together = run_together(*engine, prompts);
    REQUIRE(together.size() == 10);
    CHECK(run_together(*engine_of(weights, 1), prompts) == together);
    CHECK(run_together(*engine_of(weights, 4), prompts, 9) == together);
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      // Alone, then last among others; its second token is i, as in the batch.
      std::vector<token_ids> others(i, token_ids{5, 6, 7});
      others.push_back(prompts[i]);
      const auto found = run_together(*engine, others);
      CHECK(found[i] == together[i]);
      CHECK(found[others.size() + i] == together[prompts.size() + i]);
    }
  }
}

TEST_CASE("equal router logits go to the lower experts, and no other is read",
          "[gpu][engine][sparse]") {
  if (!testing::can_run_chosen_instructions()) return;
  std::mt19937 random(seed);
  const token_ids prompt = random_ids(random, 80);
  for (const std::int64_t per_token : {1, 3}) {
    model_shape shape = testing::small_sparse_shape();
    shape.sparse.experts_per_token = per_token;
    model_weights weights = weights_of(shape);
    std::vector<std::vector<float>> kept;
    for (layer_weights& layer : weights.layers)
      fill(std::get<sparse_weights>(layer.feed_forward).router, 0, kept);
    const auto wanted = reference::run_full(reference::model_reference(weights), {prompt});
    const auto found = logits_after(weights, prompt);
    CHECK(testing::largest_difference({found.begin(), found.end()}, wanted.logits) < 1e-4);
    // What nobody chooses may be anything.
    for (layer_weights& layer : weights.layers) {
      auto& experts = std::get<sparse_weights>(layer.feed_forward).experts;
      for (std::size_t e = static_cast<std::size_t>(per_token); e < experts.size(); ++e)
        for (tensor_view* tensor : {&experts[e].gate, &experts[e].up, &experts[e].down})
          fill(*tensor, std::nanf(""), kept);
    }
    CHECK(logits_after(weights, prompt) == found);
    // The last that is chosen matters.
    auto& experts = std::get<sparse_weights>(weights.layers[2].feed_forward).experts;
    fill(experts[static_cast<std::size_t>(per_token) - 1].down, 0.25F, kept);
    CHECK(logits_after(weights, prompt) != found);
  }
}

TEST_CASE("a router that is no number fails its sequence by name", "[gpu][engine][sparse]") {
  model_weights weights = weights_of(testing::small_sparse_shape());
  std::vector<std::vector<float>> kept;
  fill(std::get<sparse_weights>(weights.layers[1].feed_forward).router, std::nanf(""), kept);
  const auto engine = engine_of(weights);
  auto context = engine->make_sequence();
  REQUIRE(context.ok());
  REQUIRE(engine->reserve(*context, {10}).ok());
  step_plan plan;
  plan.context.push_back(
      {.target = &*context, .work = {run_tokens{.tokens = token_ids(10, 5), .draw = sampling{}}}});
  const auto done = run_step(*engine, std::move(plan));
  REQUIRE(done.ok());
  REQUIRE(done->context[0].error.has_value());
  CHECK(done->context[0].error->message.find("position 9") != std::string::npos);
}

}  // namespace weft::gpu
