#include "gpu/host/host_engine.hpp"

#include <algorithm>
#include <cmath>

#include <catch2/catch.hpp>

#include "tests/gpu/golden.hpp"
#include "tests/gpu/prompt_on_engine.hpp"

namespace weft::gpu {
namespace {

step_plan one_run(sequence& target, token_ids tokens) {
  step_plan plan;
  plan.context.push_back(
      {.target = &target, .work = {run_tokens{.tokens = std::move(tokens), .draw = sampling{}}}});
  return plan;
}

}  // namespace

TEST_CASE("the engine's traits name instruction set, threads and numerics", "[gpu][host_engine]") {
  const auto engine = bundled_engine({.threads = 2});
  CHECK(engine->traits().threads == 2);
  CHECK(engine->traits().numerics_id.rfind("host-", 0) == 0);
  CHECK(engine->traits().device.find("2 threads") != std::string::npos);
  CHECK(engine->traits().page_bytes == 2 * 2 * 256 * 64 * 4);
}

TEST_CASE("a cache too small for one state is refused with the sizes", "[gpu][host_engine]") {
  const auto made = host_engine::make(testing::tiny_model(), {.slot_bytes_max = 1000});
  REQUIRE_FALSE(made.ok());
  CHECK(made.error().kind == failure_kind::rejected);
  CHECK(made.error().message.find("--cache-bytes, so give it ") != std::string::npos);
}

TEST_CASE("an entry that does not fit takes nothing", "[gpu][host_engine]") {
  const auto engine = bundled_engine({.page_bytes_max = 5 * 262144});
  REQUIRE(engine->counts().pages.total == 5);
  CHECK_FALSE(engine->make_entry(entry_kind::splice, 6 * page_tokens).ok());
  CHECK(engine->counts().pages.free == 5);
  CHECK(engine->counts().state_slots.in_use() == 0);
  CHECK(engine->counts().transition_slots.in_use() == 0);
}

TEST_CASE("a dropped sequence gives back its slot and pages", "[gpu][host_engine]") {
  const auto engine = bundled_engine();
  {
    auto made = engine->make_sequence();
    REQUIRE(made.ok());
    REQUIRE(engine->reserve(*made, {100}).ok());
    auto done = run_step(*engine, one_run(*made, token_ids(100, 5)));
    REQUIRE(done.ok());
    CHECK(done->context[0].token.has_value());
    CHECK(engine->counts().pages.in_use() == 2);
  }
  CHECK(engine->counts().pages.in_use() == 0);
  CHECK(engine->counts().state_slots.in_use() == 0);
}

TEST_CASE("an engine that is to go finishes its step first", "[gpu][host_engine][threads]") {
  auto engine = bundled_engine({.threads = 3});
  auto target = std::make_unique<sequence>(engine->make_sequence().value());
  REQUIRE(engine->reserve(*target, {20}).ok());
  bool heard = false;
  engine->submit(one_run(*target, token_ids(20, 5)), [&](result<step_outcome> done) {
    target.reset();  // Its pages go back while there are pools to take them.
    heard = done.ok() && done->context[0].token.has_value();
  });
  engine.reset();
  CHECK(heard);
}

TEST_CASE("a NaN weight fails its sequences by name and voids their entries",
          "[gpu][host_engine]") {
  model_weights weights = testing::tiny_model();
  auto& linear = std::get<gated_delta_weights>(weights.layers[2].mixer);
  tensor_view& in_qkv = linear.in_qkv.blocks.front();
  in_qkv.type = element_type::float32;
  std::vector<float> values(static_cast<std::size_t>(in_qkv.elements()), std::nanf(""));
  in_qkv.bytes = std::as_bytes(std::span(values));
  auto made = host_engine::make(std::move(weights), {});
  REQUIRE(made.ok());
  host_engine& engine = **made;
  auto context = engine.make_sequence();
  auto alone = engine.make_sequence();
  auto entry = engine.make_entry(entry_kind::splice, 10);
  REQUIRE((context.ok() && alone.ok() && entry.ok()));
  REQUIRE(engine.reserve(*context, {10}).ok());
  step_plan plan = one_run(*context, token_ids(10, 5));
  plan.isolated.push_back(
      {.target = &*alone,
       .work = {begin_entry{*entry}, run_tokens{.tokens = token_ids(10, 7)}, end_entry{}}});
  const auto done = run_step(engine, std::move(plan));
  REQUIRE(done.ok());
  REQUIRE(done->context[0].error.has_value());
  CHECK(done->context[0].error->message.find("position 9") != std::string::npos);
  CHECK(done->isolated[0].error.has_value());
  CHECK_FALSE((*entry)->complete);
}

TEST_CASE("an entry begun without T has none, and its share is the same", "[gpu][host_engine]") {
  const auto engine = bundled_engine();
  entry_tensors made[2];
  for (const bool with : {true, false}) {
    auto alone = engine->make_sequence();
    auto entry = engine->make_entry(entry_kind::splice, 10);
    REQUIRE((alone.ok() && entry.ok()));
    step_plan plan;
    plan.isolated.push_back({.target = &*alone,
                             .work = {begin_entry{.what = *entry, .with_transition = with},
                                      run_tokens{.tokens = token_ids(10, 7)}, end_entry{}}});
    const auto done = run_step(*engine, std::move(plan));
    REQUIRE(done.ok());
    REQUIRE((*entry)->complete);
    made[with ? 1 : 0] = engine->copy_entry(**entry);
  }
  const auto is_zero = [](float value) { return value == 0; };
  CHECK(std::all_of(made[0].transition.begin(), made[0].transition.end(), is_zero));
  CHECK_FALSE(std::all_of(made[1].transition.begin(), made[1].transition.end(), is_zero));
  CHECK(made[0].state == made[1].state);
}

TEST_CASE("an instruction set this processor lacks, or a second one, is refused",
          "[gpu][host_engine]") {
  const auto settled = settle_instruction_set(instruction_set::automatic);
  REQUIRE(settled.ok());
  for (const auto other : {instruction_set::sse2, instruction_set::avx2, instruction_set::avx512})
    CHECK(settle_instruction_set(other).ok() == (other <= *settled));
  CHECK(settle_instruction_set(*settled).ok());
  CHECK(parse_instruction_set("avx2").ok());
  const auto unknown = parse_instruction_set("neon");
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.error().message.find("neon") != std::string::npos);
}

TEST_CASE("cutting a prompt at grid edges changes no bit", "[gpu][host_engine]") {
  const auto engine = bundled_engine();
  const auto segments = testing::golden_prompts()[0].segments;
  for (const bool splices : {false, true}) {
    entry_shelf whole_shelf;
    entry_shelf cut_shelf;
    const auto whole = run_prompt(*engine, segments, {.splices = splices}, whole_shelf);
    const auto cut =
        run_prompt(*engine, segments, {.splices = splices, .cut_tokens = 64}, cut_shelf);
    CHECK(whole.logits == cut.logits);
    CHECK(whole.generated == cut.generated);
    const auto warm = run_prompt(*engine, segments, {.splices = splices}, cut_shelf);
    CHECK(whole.logits == warm.logits);
  }
}

TEST_CASE("weights used where they lie give the bits of packed ones", "[gpu][host_engine]") {
  const auto packed = bundled_engine({.threads = 2});
  const auto in_place = bundled_engine({.threads = 2, .packed_bytes_max = 0});
  const std::vector<token_ids> segments = {token_ids(20, 7), token_ids(90, 11), token_ids(9, 13)};
  for (const bool splices : {true, false}) {
    entry_shelf first;
    entry_shelf second;
    const prompt_on_engine_options options{.splices = splices, .new_tokens_max = 6};
    const auto expected = run_prompt(*packed, segments, options, first);
    const auto found = run_prompt(*in_place, segments, options, second);
    REQUIRE_FALSE(expected.logits.empty());
    CHECK(found.logits == expected.logits);
    CHECK(found.generated == expected.generated);
  }
}

TEST_CASE("eight decode rows have the bits that each has alone", "[gpu][host_engine]") {
  const auto engine = bundled_engine({.threads = 2});
  constexpr std::size_t requests = 8;
  const auto prompt_of = [](std::size_t request) {
    token_ids ids(20 + 13 * request);
    for (std::size_t i = 0; i < ids.size(); ++i)
      ids[i] = static_cast<token_id>((i * 7 + request * 31) % 2000);
    return ids;
  };
  const auto decode_of = [](sequence& target) {
    return sequence_step{
        .target = &target,
        .work = {run_tokens{
            .tokens = {5}, .kind = row_class::decode, .starts_grid = false, .want_logits = true}}};
  };
  std::vector<std::vector<float>> alone;
  std::vector<sequence> together;
  for (std::size_t i = 0; i < requests; ++i)
    for (const bool kept : {false, true}) {
      sequence target = engine->make_sequence().value();
      REQUIRE(engine->reserve(target, {200}).ok());
      REQUIRE(run_step(*engine, one_run(target, prompt_of(i))).ok());
      if (kept) {
        together.push_back(std::move(target));
        continue;
      }
      step_plan plan;
      plan.context.push_back(decode_of(target));
      const auto done = run_step(*engine, std::move(plan));
      REQUIRE(done.ok());
      alone.push_back(done->context[0].logits);
    }
  step_plan plan;
  for (sequence& each : together) plan.context.push_back(decode_of(each));
  const auto done = run_step(*engine, std::move(plan));
  REQUIRE(done.ok());
  for (std::size_t i = 0; i < requests; ++i) {
    INFO("request " << i);
    REQUIRE_FALSE(alone[i].empty());
    CHECK(done->context[i].logits == alone[i]);
  }
}

}  // namespace weft::gpu
