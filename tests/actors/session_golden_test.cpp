// The session over the host engine and the bundled checkpoint, against golden.json: logits and
// greedy tokens of an independent implementation, mode by mode, cold and warm.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "actors/session/session.hpp"
#include "gpu/checkpoint/checkpoint.hpp"
#include "messages/prompt/tokenizer.hpp"

namespace weft::actors {
namespace {

const std::string folder = std::string(WEFT_SOURCE_DIR) + "/examples/models/tiny-qwen3_5";

nlohmann::json read_json(const std::string& name) {
  std::ifstream file(folder + "/" + name);
  REQUIRE(file.good());
  return nlohmann::json::parse(file);
}

std::vector<token_ids> anchor_ids() {
  const auto tokenizer = messages::tokenizer::load(folder + "/tokenizer.json");
  REQUIRE(tokenizer.ok());
  const auto profile = read_json("weft-anchored.json");
  std::vector<token_ids> anchor;
  for (const auto& text : profile.at("anchor")) {
    auto ids = tokenizer->encode(text.get<std::string>(), messages::special_tokens::recognized);
    REQUIRE(ids.ok());
    anchor.push_back(std::move(ids).value());
  }
  REQUIRE(anchor.size() == 2);
  return anchor;
}

std::unique_ptr<session> open_session(bool anchored) {
  auto weights = gpu::load_checkpoint(folder);
  if (!weights.ok()) FAIL(weights.error().message);
  session_options options;
  options.engine.page_bytes_max = std::int64_t{64} << 20;
  options.engine.slot_bytes_max = std::int64_t{512} << 20;
  options.engine.threads = 2;
  options.profile_seam = {.head_tokens = 8, .tail_tokens = 16};
  if (anchored) options.anchor = anchor_ids();
  auto made = session::make(std::move(weights).value(), std::move(options));
  if (!made.ok()) FAIL(made.error().message);
  return std::move(made).value();
}

request request_of(const nlohmann::json& prompt, reuse_mode mode) {
  request asked;
  asked.mode = mode;
  asked.new_tokens_max = 80;
  asked.want_logits = true;
  for (const auto& ids : prompt.at("ids"))
    asked.segments.push_back({.tokens = ids.get<token_ids>()});
  return asked;
}

double worst_difference(const std::vector<float>& found, const nlohmann::json& expected) {
  REQUIRE(found.size() == expected.size());
  double worst = 0;
  for (std::size_t index = 0; index < found.size(); ++index) {
    REQUIRE(std::isfinite(found[index]));
    worst = std::max(worst,
                     std::abs(static_cast<double>(found[index]) - expected[index].get<double>()));
  }
  return worst;
}

answer run(session& on, request asked) {
  auto done = on.run(std::move(asked));
  if (!done.ok()) FAIL(done.error().message);
  return std::move(done).value();
}

void check_mode(session& on, reuse_mode mode, const std::string& construction) {
  std::int64_t reused = 0;
  for (const auto& prompt : read_json("golden.json")) {
    CAPTURE(construction, prompt.at("task").get<std::string>());
    on.drop_cache();
    const answer cold = run(on, request_of(prompt, mode));
    const answer warm = run(on, request_of(prompt, mode));
    CHECK(worst_difference(cold.last_logits, prompt.at(construction).at("logits")) < 1e-3);
    CHECK(cold.tokens == prompt.at(construction).at("generated").get<token_ids>());
    CHECK(cold.ended);
    CHECK(warm.last_logits == cold.last_logits);
    CHECK(warm.tokens == cold.tokens);
    CHECK(cold.reused_tokens == 0);
    reused += warm.reused_tokens;
    for (const receipt& each : warm.receipts) CHECK(each.what != verdict::cold);
  }
  if (traits_of(mode).splices || traits_of(mode).chains)
    CHECK(reused >= 500);
  else
    CHECK(reused == 0);
}

}  // namespace

TEST_CASE("every mode gives the golden logits and answers, cold and warm alike",
          "[actors][session_golden][long]") {
  const auto live = open_session(false);
  check_mode(*live, reuse_mode::full_recompute, "full");
  check_mode(*live, reuse_mode::prefix_cache, "full");
  check_mode(*live, reuse_mode::addition, "addition_w0");
  check_mode(*live, reuse_mode::transition_rope, "transition_w0");
  check_mode(*live, reuse_mode::transition_rope_recompute, "transition_w8");
  check_mode(*live, reuse_mode::stitched, "stitched");
}

TEST_CASE("entries behind the profile's anchor give the golden logits and answers",
          "[actors][session_golden][long]") {
  const auto live = open_session(true);
  check_mode(*live, reuse_mode::stitched, "stitched_anchored");
}

TEST_CASE("full recomputation gives the public implementation's logits",
          "[actors][session_golden][long]") {
  const auto live = open_session(false);
  for (const auto& prompt : read_json("golden.json")) {
    const answer done = run(*live, request_of(prompt, reuse_mode::full_recompute));
    CHECK(worst_difference(done.last_logits, prompt.at("reference_logits")) < 1e-4);
  }
}

TEST_CASE("cold equals warm bit for bit alone, in a batch of strangers, and in small steps",
          "[actors][session_golden][long]") {
  const auto alone = open_session(false);
  const auto prompts = read_json("golden.json");
  std::vector<answer> expected;
  for (const auto& prompt : prompts)
    expected.push_back(run(*alone, request_of(prompt, reuse_mode::stitched)));

  auto weights = gpu::load_checkpoint(folder);
  REQUIRE(weights.ok());
  session_options options;
  options.engine.page_bytes_max = std::int64_t{64} << 20;
  options.engine.slot_bytes_max = std::int64_t{512} << 20;
  options.engine.threads = 1;
  options.step_tokens_max = 64;
  options.profile_seam = {.head_tokens = 8, .tail_tokens = 16};
  auto batched = session::make(std::move(weights).value(), std::move(options));
  REQUIRE(batched.ok());
  for (int round = 0; round < 2; ++round) {
    std::vector<std::uint64_t> ids;
    for (const auto& prompt : prompts)
      ids.push_back(*(*batched)->start(request_of(prompt, reuse_mode::stitched)));
    while ((*batched)->step()) {
    }
    for (std::size_t index = 0; index < ids.size(); ++index) {
      const auto done = (*batched)->take(ids[index]);
      REQUIRE(done.has_value());
      REQUIRE(done->ok());
      CHECK((*done)->last_logits == expected[index].last_logits);
      CHECK((*done)->tokens == expected[index].tokens);
    }
  }
}

}  // namespace weft::actors
