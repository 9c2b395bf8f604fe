// Sessions over the host engine on more threads than one, with models so small that the thread
// sanitizer sees whole answers in a second: clients that come, share entries, hear tokens and
// leave, and sessions on threads of their own.
#include <thread>

#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "tests/actors/session_fixture.hpp"

namespace weft::actors {
namespace {

gpu::model_shape dense_shape() {
  using enum gpu::layer_kind;
  return {.architecture = "qwen3_5_text",
          .vocabulary = 97,
          .hidden = 48,
          .intermediate = 80,
          .layers = {linear, attention, linear},
          .feeds = {},
          .attention = {.heads = 6, .key_value_heads = 2, .head_dim = 32, .rotary_dim = 8},
          .linear = {.key_heads = 3, .value_heads = 9, .key_dim = 16, .value_dim = 24},
          .sparse = {},
          .norm_epsilon = 1e-6,
          .positions_max = 4096,
          .end_tokens = {}};  // So that every answer has the length that was asked for.
}

gpu::model_shape sparse_shape() {
  gpu::model_shape shape = dense_shape();
  shape.architecture = "qwen3_5_moe_text";
  shape.intermediate = 0;
  shape.feeds.assign(shape.layers.size(), gpu::feed_kind::sparse);
  shape.sparse = {
      .experts = 7, .experts_per_token = 3, .intermediate = 40, .shared_intermediate = 24};
  return shape;
}

gpu::model_weights weights_of(const gpu::model_shape& shape) {
  auto made = gpu::random_weights(shape, 3);
  if (!made) FAIL(made.error().message);
  return std::move(made).value();
}

// Without Catch2, which only one thread may speak to.
std::unique_ptr<session> open(gpu::model_weights weights, int threads) {
  session_options options;
  options.engine = {.threads = threads, .page_bytes_max = 1 << 24, .slot_bytes_max = 1 << 24};
  options.step_tokens_max = 128;
  options.profile_seam = {.head_tokens = 8, .tail_tokens = 16};
  return session::make(std::move(weights), std::move(options)).value();
}

// What a client of `number` asks: all share documents, each has its own question.
request asked_by(std::int64_t number) {
  return ask({text(1, 30), text(2, 100), text(3 + number % 2, 70), text(9 + number, 12)},
             all_modes[static_cast<std::size_t>(number) % all_modes.size()]);
}

std::int64_t in_flight(const session& of) {
  const gpu::engine_counts counts = of.engine().counts();
  std::int64_t units = 0;
  for (const auto* pool : {&counts.pages, &counts.state_slots, &counts.transition_slots})
    units += pool->held[static_cast<std::size_t>(gpu::unit_owner::in_flight)];
  return units;
}

}  // namespace

TEST_CASE("clients that share steps on four threads hear what each hears alone on one",
          "[actors][session_threads][threads]") {
  const gpu::model_weights weights = weights_of(GENERATE(dense_shape(), sparse_shape()));
  constexpr std::int64_t clients = 7;
  const auto alone = open(weights, 1);
  const auto shared = open(weights, 4);
  std::vector<std::uint64_t> ids;
  for (std::int64_t client = 0; client < clients; ++client) {
    ids.push_back(shared->start(asked_by(client)).value());
    shared->step();
  }
  while (shared->step()) {
  }
  for (std::int64_t client = 0; client < clients; ++client) {
    CAPTURE(client);
    const auto got = shared->take(ids[static_cast<std::size_t>(client)]);
    REQUIRE(got.has_value());
    REQUIRE(got->ok());
    const auto expected = alone->run(asked_by(client));
    REQUIRE(expected.ok());
    CHECK((*got)->tokens == expected->tokens);
    CHECK((*got)->last_logits == expected->last_logits);
  }
  CHECK(in_flight(*shared) == 0);
}

TEST_CASE("a client that leaves after any step of four threads leaves nothing behind",
          "[actors][session_threads][threads]") {
  const gpu::model_weights weights = weights_of(dense_shape());
  const auto shared = open(weights, 4);
  const answer expected = open(weights, 1)->run(asked_by(6)).value();
  for (int steps = 0; steps < 6; ++steps) {
    CAPTURE(steps);
    shared->drop_cache();
    const auto stays = shared->start(asked_by(6));
    const auto leaves = shared->start(asked_by(5));
    REQUIRE((stays.ok() && leaves.ok()));
    for (int step = 0; step < steps; ++step) shared->step();
    shared->cancel(*leaves);
    while (shared->step()) {
    }
    const auto got = shared->take(*stays);
    REQUIRE(got.has_value());
    REQUIRE(got->ok());
    CHECK((*got)->tokens == expected.tokens);
    CHECK((*got)->last_logits == expected.last_logits);
    CHECK(in_flight(*shared) == 0);
  }
}

TEST_CASE("sessions on threads of their own share a model's weights and nothing else",
          "[actors][session_threads][threads]") {
  const gpu::model_weights weights = weights_of(dense_shape());
  std::array<std::vector<answer>, 3> heard;
  std::vector<std::thread> owners;
  for (std::vector<answer>& answers : heard)
    owners.emplace_back([&answers, &weights] {
      const auto own = open(weights, 2);
      for (const std::int64_t client : {6, 6, 1})
        answers.push_back(own->run(asked_by(client)).value());
    });
  for (std::thread& owner : owners) owner.join();
  for (const std::vector<answer>& answers : heard) {
    CHECK(answers[0].reused_tokens == 0);
    CHECK(answers[1].reused_tokens > 0);
    CHECK(answers[1].last_logits == answers[0].last_logits);
    for (std::size_t turn = 0; turn < answers.size(); ++turn) {
      CHECK(answers[turn].tokens == heard[0][turn].tokens);
      CHECK(answers[turn].last_logits == heard[0][turn].last_logits);
    }
  }
}

}  // namespace weft::actors
