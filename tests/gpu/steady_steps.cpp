#include "tests/gpu/steady_steps.hpp"

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"

namespace weft::gpu::testing {
namespace {

constexpr std::int64_t cut_tokens = chunk_tokens;
constexpr std::int64_t short_tokens = 40;

sequence reserved(host_engine& on, std::int64_t tokens) {
  sequence made = on.make_sequence().value();
  REQUIRE(on.reserve(made, {tokens}).ok());
  return made;
}

}  // namespace

steady_steps::steady_steps(const model_shape& shape) {
  auto weights = random_weights(shape, 5);
  if (!weights) FAIL(weights.error().message);
  auto made = host_engine::make(std::move(*weights), {.threads = 2});
  if (!made) FAIL(made.error().message);
  engine_ = std::move(*made);
  greedy_ = reserved(*engine_, steps_max);
  sampled_ = reserved(*engine_, steps_max);
  long_prompt_ = reserved(*engine_, steps_max * cut_tokens);
  for (int i = 0; i < steps_max; ++i) short_prompts_.push_back(reserved(*engine_, short_tokens));
  // A pass to the furthest position of all, so that the table of angles holds it.
  sequence pioneer = reserved(*engine_, steps_max * cut_tokens);
  step_plan plan;
  plan.context.push_back(
      {.target = &pioneer, .work = {run_tokens{.tokens = token_ids(steps_max * cut_tokens, 2)}}});
  take(run_step(*engine_, std::move(plan)));
}

step_plan steady_steps::next_plan() {
  REQUIRE(steps_ < steps_max);
  const bool first = steps_ == 0;
  const row_class one_token = first ? row_class::prefill : row_class::decode;
  step_plan plan;
  plan.context.push_back(
      {.target = &greedy_,
       .work = {run_tokens{
           .tokens = {1}, .kind = one_token, .starts_grid = first, .draw = sampling{}}}});
  plan.context.push_back(
      {.target = &sampled_,
       .work = {run_tokens{.tokens = {3},
                           .kind = one_token,
                           .starts_grid = first,
                           .draw = sampling{.temperature = 0.8, .top_p = 0.9, .index = steps_},
                           .want_logits = true}}});
  plan.context.push_back(
      {.target = &long_prompt_,
       .work = {run_tokens{.tokens = token_ids(cut_tokens, 4), .starts_grid = first}}});
  plan.context.push_back({.target = &short_prompts_[static_cast<std::size_t>(steps_)],
                          .work = {run_tokens{.tokens = token_ids(short_tokens, 5),
                                              .targets = token_ids(short_tokens, 6)}}});
  plan.reused = std::move(last_);
  ++steps_;
  return plan;
}

void steady_steps::take(result<step_outcome> done) {
  if (!done) FAIL(done.error().message);
  for (const sequence_outcome& each : done->context) REQUIRE_FALSE(each.error.has_value());
  last_ = std::move(*done);
}

}  // namespace weft::gpu::testing
