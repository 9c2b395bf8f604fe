// Cold equals warm, bit for bit, on the host engine with the bundled checkpoint and with random
// ones of other families: an answer does not depend on what was cached, on threads, on batch mates,
// or on how a prompt was cut into steps.
//
// WEFT_TEST_INSTRUCTIONS (sse2, avx2, avx512) picks the instruction set; ctest runs this file once
// for each that the processor has.
#include <filesystem>
#include <random>

#include <catch2/catch.hpp>

#include "actors/session/session.hpp"
#include "gpu/checkpoint/checkpoint.hpp"
#include "policies/placement/page_demand.hpp"
#include "policies/placement/prompt_layout.hpp"
#include "tests/gpu/chosen_instructions.hpp"
#include "tests/test_seed.hpp"

namespace weft::actors {
namespace {

// One for the whole file.
unsigned seed() {
  static const unsigned drawn = test_seed(20260101);
  return drawn;
}

const std::string bundled = "examples/models/tiny-qwen3_5";
const std::vector<std::string> models_with_experts = {"tests/data/models/random-qwen3_5_moe",
                                                      "tests/data/models/random-qwen3_next"};
const std::vector<std::string> every_model = {bundled, models_with_experts[0],
                                              models_with_experts[1]};
const std::vector<std::int64_t> seam_sides = {0, 3, 8, 16};

token_ids random_ids(std::mt19937& random, std::size_t count) {
  token_ids ids(count);
  for (token_id& id : ids) id = static_cast<token_id>(random() % 511);  // All models know these.
  return ids;
}

// lead; documents: one below a page, one over a page, one shorter than most seams, one of one
// token, a repeat of the first, one over two chunks; question.
std::vector<token_ids> prompt() {
  std::mt19937 random(seed());
  std::vector<token_ids> segments;
  for (const std::size_t count : {27, 60, 90, 20, 1, 0, 150, 13})
    segments.push_back(count == 0 ? segments[1] : random_ids(random, count));
  return segments;
}

// The same documents in another order.
std::vector<token_ids> permuted_prompt() {
  std::vector<token_ids> permuted = prompt();
  std::mt19937 random(seed());
  std::shuffle(permuted.begin() + 1, permuted.end() - 1, random);
  return permuted;
}

request ask(const std::vector<token_ids>& segments, reuse_mode mode,
            std::optional<seam> cut = std::nullopt) {
  request made;
  for (const token_ids& ids : segments) made.segments.push_back({.tokens = ids});
  made.mode = mode;
  made.wanted_seam = cut;
  made.new_tokens_max = 4;
  made.want_logits = true;
  made.want_scores = true;
  return made;
}

struct variation {
  int threads = 2;
  std::int64_t step_tokens_max = 2048;
  bool anchored = false;
  std::string model = bundled;
};

std::unique_ptr<session> open(const variation& how) {
  auto weights = gpu::load_checkpoint(std::filesystem::path(WEFT_SOURCE_DIR) / how.model);
  if (!weights) FAIL(weights.error().message);
  session_options options;
  options.engine.threads = how.threads;
  options.engine.instructions = gpu::testing::chosen_instructions();
  options.step_tokens_max = how.step_tokens_max;
  std::mt19937 random(seed() + 1);
  if (how.anchored) options.anchor = {random_ids(random, 20), random_ids(random, 50)};
  auto made = session::make(std::move(*weights), std::move(options));
  if (!made) FAIL(made.error().message);
  return std::move(*made);
}

answer run(session& on, request asked) {
  auto done = on.run(std::move(asked));
  if (!done) FAIL(done.error().message);
  return std::move(*done);
}

// The answers of requests that are all started before the first step.
std::vector<answer> run_together(session& on, const std::vector<request>& all) {
  std::vector<std::uint64_t> ids;
  for (const request& each : all) {
    auto started = on.start(each);
    if (!started) FAIL(started.error().message);
    ids.push_back(*started);
  }
  while (on.step()) {
  }
  std::vector<answer> answers;
  for (const std::uint64_t id : ids) {
    auto done = on.take(id);
    REQUIRE(done.has_value());
    if (!done->ok()) FAIL(done->error().message);
    answers.push_back(std::move(*done).value());
  }
  return answers;
}

// NaN marks a score that does not exist, so values are compared by their bits.
void check_same_bits(const answer& a, const answer& b) {
  REQUIRE(a.last_logits.size() == b.last_logits.size());
  CHECK(a.last_logits == b.last_logits);
  CHECK(a.tokens == b.tokens);
  REQUIRE(a.scores.size() == b.scores.size());
  std::size_t different = 0;
  for (std::size_t i = 0; i < a.scores.size(); ++i) {
    const auto& one = a.scores[i];
    const auto& other = b.scores[i];
    const bool same_probability = std::bit_cast<std::uint64_t>(one.log_probability) ==
                                  std::bit_cast<std::uint64_t>(other.log_probability);
    if (one.position != other.position || one.best != other.best || !same_probability) ++different;
  }
  CHECK(different == 0);
}

// What a fully warm run must reuse: every reusable segment, whole but for its seam.
std::int64_t reusable_tokens(const request& asked, const seam& cut) {
  prompt_facts facts{.mode = asked.mode, .seams = cut, .new_tokens_max = 4, .positions_max = 32768};
  for (const request_segment& each : asked.segments)
    facts.segments.push_back({.tokens = static_cast<std::int64_t>(each.tokens.size())});
  const auto layout = lay_out(facts);
  REQUIRE(layout.ok());
  std::int64_t tokens = 0;
  for (const segment_layout& each : layout->segments) tokens += each.reused_if_warm;
  return tokens;
}

void check_every_seam(const std::string& model) {
  for (const bool anchored : {false, true}) {
    const auto base = open({.anchored = anchored, .model = model});
    const auto one_thread =
        open({.threads = 1, .step_tokens_max = 64, .anchored = anchored, .model = model});
    const auto four_threads =
        open({.threads = 4, .step_tokens_max = 192, .anchored = anchored, .model = model});
    for (const std::int64_t head : seam_sides)
      for (const std::int64_t tail : seam_sides) {
        INFO(model << (anchored ? ", anchored" : ", no anchor") << ", head " << head << ", tail "
                   << tail << ", seed " << seed());
        const seam cut{head, tail};
        const request asked = ask(prompt(), reuse_mode::stitched, cut);
        const answer cold = run(*base, asked);
        const answer warm = run(*base, asked);
        // The lead and other seams' entries do not count as cold twice: only this seam's are new.
        const std::int64_t expected = reusable_tokens(asked, cut);
        CHECK(expected >= 27 + 2 * (60 - head - tail) + (90 - head - tail) + (150 - head - tail));
        CHECK(warm.reused_tokens == expected);
        CHECK(cold.reused_tokens <= 27);
        check_same_bits(cold, warm);
        check_same_bits(cold, run(*one_thread, asked));
        const answer many = run(*four_threads, asked);
        check_same_bits(cold, many);
        check_same_bits(cold, run(*one_thread, asked));
      }
  }
}

// A prompt, the same documents in another order, and a stranger, each alone and cold; then all at
// once, cold and warm.
void check_batch(session& alone, session& crowded, const seam& cut) {
  std::mt19937 random(seed() + 3);
  const std::vector<request> all = {
      ask(prompt(), reuse_mode::stitched, cut), ask(permuted_prompt(), reuse_mode::stitched, cut),
      ask({random_ids(random, 40), random_ids(random, 130), random_ids(random, 9)},
          reuse_mode::stitched, cut)};
  std::vector<answer> expected;
  for (const request& each : all) {
    alone.drop_cache();
    expected.push_back(run(alone, each));
    CHECK(expected.back().reused_tokens == 0);
  }
  crowded.drop_cache();
  for (const bool warm : {false, true}) {
    const std::vector<answer> found = run_together(crowded, all);
    for (std::size_t i = 0; i < all.size(); ++i) {
      INFO("request " << i << (warm ? ", warm" : ", cold"));
      CHECK(found[i].reused_tokens == (warm ? reusable_tokens(all[i], cut) : 0));
      check_same_bits(expected[i], found[i]);
    }
  }
}

}  // namespace

TEST_CASE("cold equals warm for every seam, with and without an anchor",
          "[actors][cold_warm][every_seam][long]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  check_every_seam(bundled);
}

TEST_CASE("cold equals warm for every seam in models with experts",
          "[actors][cold_warm][every_seam][long]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  for (const std::string& model : models_with_experts) check_every_seam(model);
}

TEST_CASE("requests that run together give the bits of each alone, for every seam",
          "[actors][cold_warm][every_seam][long]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  for (const std::string& model : models_with_experts)
    for (const bool anchored : {false, true}) {
      const auto alone = open({.anchored = anchored, .model = model});
      const auto crowded =
          open({.threads = 4, .step_tokens_max = 192, .anchored = anchored, .model = model});
      for (const std::int64_t head : seam_sides)
        for (const std::int64_t tail : seam_sides) {
          INFO(model << (anchored ? ", anchored" : ", no anchor") << ", head " << head << ", tail "
                     << tail << ", seed " << seed());
          check_batch(*alone, *crowded, {head, tail});
        }
    }
}

TEST_CASE("requests that run together give the bits of each alone", "[actors][cold_warm]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  for (const std::string& model : every_model)
    for (const bool anchored : {false, true}) {
      INFO(model << (anchored ? ", anchored" : ", no anchor") << ", seed " << seed());
      const auto alone = open({.anchored = anchored, .model = model});
      const auto crowded = open({.step_tokens_max = 256, .anchored = anchored, .model = model});
      check_batch(*alone, *crowded, {8, 16});
    }
}

TEST_CASE("cold equals warm in every mode", "[actors][cold_warm]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  const std::string model = GENERATE(from_range(every_model));
  const auto base = open({.model = model});
  const auto cut_small = open({.threads = 4, .step_tokens_max = 64, .model = model});
  for (const reuse_mode mode : all_modes) {
    INFO(model << ", " << traits_of(mode).name << ", seed " << seed());
    const request asked = ask(prompt(), mode);
    base->drop_cache();
    cut_small->drop_cache();
    const answer cold = run(*base, asked);
    CHECK(cold.reused_tokens == 0);
    const answer warm = run(*base, asked);
    const std::int64_t expected = reusable_tokens(asked, default_seam(mode, {8, 16}));
    CHECK(warm.reused_tokens == expected);
    CHECK((expected > 250) == (mode != reuse_mode::full_recompute));
    check_same_bits(cold, warm);
    check_same_bits(cold, run(*cut_small, asked));
    check_same_bits(cold, run(*cut_small, asked));
  }
}

TEST_CASE("prefix_cache gives the bits of full recomputation", "[actors][cold_warm]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  const auto base = open({.model = GENERATE(from_range(every_model))});
  const answer full = run(*base, ask(prompt(), reuse_mode::full_recompute));
  const answer cold = run(*base, ask(prompt(), reuse_mode::prefix_cache));
  CHECK(cold.reused_tokens == 0);
  CHECK(cold.last_logits == full.last_logits);
  CHECK(cold.tokens == full.tokens);
  const answer warm = run(*base, ask(prompt(), reuse_mode::prefix_cache));
  CHECK(warm.reused_tokens == 27 + 60 + 90 + 20 + 1 + 60 + 150);
  check_same_bits(cold, warm);
}

TEST_CASE("a permuted prompt of known documents equals its own cold run", "[actors][cold_warm]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  const std::string model = GENERATE(from_range(every_model));
  const request permuted = ask(permuted_prompt(), reuse_mode::stitched);
  for (const bool anchored : {false, true}) {
    INFO(model << (anchored ? ", anchored" : ", no anchor") << ", seed " << seed());
    const auto known = open({.anchored = anchored, .model = model});
    run(*known, ask(prompt(), reuse_mode::stitched));
    const answer warm = run(*known, permuted);
    CHECK(warm.reused_tokens == reusable_tokens(permuted, {8, 16}));
    const auto fresh = open({.anchored = anchored, .model = model});
    const answer cold = run(*fresh, permuted);
    CHECK(cold.reused_tokens == 0);
    check_same_bits(cold, warm);
  }
}

TEST_CASE("strangers in the batch change nothing", "[actors][cold_warm]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  std::mt19937 random(seed() + 2);
  const std::string model = GENERATE(from_range(every_model));
  const auto alone = open({.model = model});
  const auto crowded = open({.step_tokens_max = 256, .model = model});
  for (const reuse_mode mode : {reuse_mode::stitched, reuse_mode::prefix_cache}) {
    const answer expected = run(*alone, ask(prompt(), mode));
    for (const bool warm : {false, true}) {
      INFO(model << ", " << traits_of(mode).name << (warm ? ", warm" : ", cold") << ", seed "
                 << seed());
      std::vector<std::uint64_t> strangers;
      for (int i = 0; i < 3; ++i) {
        request other =
            ask({random_ids(random, 40), random_ids(random, 200), random_ids(random, 9)},
                i == 1 ? reuse_mode::full_recompute : mode);
        other.new_tokens_max = 12;
        auto started = crowded->start(std::move(other));
        REQUIRE(started.ok());
        strangers.push_back(*started);
        // The first two are decoding by the time that the request comes.
        if (i == 1)
          for (int step = 0; step < 4; ++step) crowded->step();
      }
      auto mine = crowded->start(ask(prompt(), mode));
      REQUIRE(mine.ok());
      while (crowded->step()) {
      }
      auto done = crowded->take(*mine);
      REQUIRE(done.has_value());
      REQUIRE(done->ok());
      CHECK(((*done)->reused_tokens > 250) == warm);
      check_same_bits(expected, **done);
      for (const std::uint64_t id : strangers) {
        auto other = crowded->take(id);
        REQUIRE(other.has_value());
        CHECK(other->ok());
      }
    }
  }
}

TEST_CASE("two requests over the same entries add their overlays only", "[actors][cold_warm]") {
  if (!gpu::testing::can_run_chosen_instructions()) return;
  const auto base = open({});
  request asked = ask(prompt(), reuse_mode::stitched);
  asked.new_tokens_max = 20;
  run(*base, asked);
  const auto cached = base->engine().counts();
  prompt_facts facts{.seams = {8, 16}, .new_tokens_max = 20, .positions_max = 32768};
  for (const request_segment& each : asked.segments)
    facts.segments.push_back({.tokens = static_cast<std::int64_t>(each.tokens.size())});
  const auto layout = lay_out(facts);
  REQUIRE(layout.ok());
  const std::int64_t overlay = overlay_pages(layout->context_runs, gpu::page_tokens);
  CHECK(overlay < cached.pages.in_use());

  auto one = base->start(asked);
  auto two = base->start(asked);
  REQUIRE((one.ok() && two.ok()));
  std::int64_t most = 0;
  while (base->step()) most = std::max(most, base->engine().counts().pages.in_use());
  CHECK(most == cached.pages.in_use() + 2 * overlay);
  CHECK(base->engine().counts().pages.in_use() == cached.pages.in_use());
  CHECK(base->engine().counts().state_slots.in_use() == cached.state_slots.in_use());
  CHECK(base->engine().counts().transition_slots.in_use() == cached.transition_slots.in_use());
}

}  // namespace weft::actors
