#include "actors/session/request_plan.hpp"

#include <catch2/catch.hpp>

#include "tests/actors/session_fixture.hpp"

namespace weft::actors {
namespace {

struct plan_stage {
  result<request_plan> plan(request asked) const {
    const gpu::model_shape& shape = engine.shape();
    return plan_request(std::move(asked),
                        {.shape = &shape, .positions_max = positions_max, .profile_seam = {8, 16}},
                        entry_names(names));
  }
  fake_engine engine;
  std::int64_t positions_max = 4096;
  naming_facts names = {
      .model_fingerprint = "m", .tokenizer_fingerprint = "t", .numerics_id = "n", .anchor = {}};
};

}  // namespace

TEST_CASE("a plan counts the most units that a cold request holds", "[actors][request_plan]") {
  plan_stage stage;
  const auto plan = stage.plan(ask({text(1, 30), text(2, 100), text(2, 100), text(6, 12)}));
  REQUIRE(plan.ok());
  // Overlay 8 + 16 + 8 + 16 and 12 + 6 tokens, lead 30, one entry of 76, the head in isolation.
  CHECK(plan->most == cache_units{.pages = 2 + 1 + 2 + 1, .state_slots = 4, .transition_slots = 1});
  const auto alone = stage.plan(ask({text(6, 12)}));
  CHECK(alone->most == cache_units{.pages = 1, .state_slots = 1, .transition_slots = 0});
}

TEST_CASE("keys tell apart all that an entry depends on", "[actors][request_plan]") {
  plan_stage stage;
  const auto key = [](const plan_stage& from, const request& asked) {
    return from.plan(asked)->entries.at(1).key;
  };
  const request asked = ask({text(1, 30), text(2, 100), text(6, 12)});
  const auto plain = key(stage, asked);
  CHECK(key(stage, asked) == plain);

  request other = asked;
  other.segments[0].tokens = text(9, 33);
  CHECK(key(stage, other) == plain);  // A document's entry does not hang on what is before it.
  other = asked;
  other.mode = reuse_mode::addition;
  other.wanted_seam = seam{8, 16};
  CHECK(key(stage, other) == plain);  // Nor on the mode, for equal seams.
  other.wanted_seam = seam{8, 15};
  CHECK_FALSE(key(stage, other) == plain);
  other = asked;
  other.scope = "other";
  CHECK_FALSE(key(stage, other) == plain);
  other = asked;
  other.mode = reuse_mode::prefix_cache;
  const auto chained = key(stage, other);
  CHECK_FALSE(chained == plain);
  other.segments[0].tokens = text(9, 33);
  CHECK_FALSE(key(stage, other) == chained);  // A chain's link does.

  plan_stage anchored;
  anchored.names.anchor = {text(50, 20)};
  CHECK_FALSE(key(anchored, asked) == plain);
  other = asked;
  other.mode = reuse_mode::transition_rope_recompute;
  CHECK(key(anchored, other) == key(stage, other));  // A mode without an anchor.
  plan_stage numerics;
  numerics.names.numerics_id = "o";
  CHECK_FALSE(key(numerics, asked) == plain);
}

TEST_CASE("a lead is one entry for every mode", "[actors][request_plan]") {
  plan_stage stage;
  stage.names.anchor = {text(50, 20)};
  std::vector<messages::entry_key> keys;
  for (const reuse_mode mode : all_modes) {
    if (mode == reuse_mode::full_recompute) continue;
    keys.push_back(
        stage.plan(ask({text(1, 30), text(2, 100), text(6, 12)}, mode))->entries.at(0).key);
    CHECK(keys.back() == keys.front());
  }
}

TEST_CASE("an entry's price is its own prefill: with its head, behind anchor or chain",
          "[actors][request_plan]") {
  plan_stage stage;
  const auto plain = stage.plan(ask({text(1, 30), text(2, 100), text(6, 12)}));
  CHECK(plain->entries.at(0).remake == work_of(30));
  CHECK(plain->entries.at(1).remake == work_of(84));  // Head and body; the tail is not made.
  const auto chain =
      stage.plan(ask({text(1, 30), text(2, 100), text(6, 12)}, reuse_mode::prefix_cache));
  CHECK(chain->entries.at(1).remake == work_of(100, 30));
  stage.names.anchor = {text(50, 20)};
  const auto anchored = stage.plan(ask({text(1, 30), text(2, 100), text(6, 12)}));
  CHECK(anchored->entries.at(1).remake == work_of(84, 20));
  CHECK(anchored->anchor->remake == work_of(20));
}

TEST_CASE("what can never fit is refused with the pool and what it lacks",
          "[actors][request_plan]") {
  plan_stage stage;
  const auto plan = stage.plan(ask({text(1, 30), text(2, 100), text(6, 12)}));
  REQUIRE(plan.ok());
  CHECK(plan->most == cache_units{.pages = 5, .state_slots = 4, .transition_slots = 1});
  const auto pools = [](std::int64_t pages, std::int64_t states, std::int64_t transitions) {
    gpu::engine_counts counts;
    counts.pages.total = pages;
    counts.state_slots.total = states;
    counts.transition_slots.total = transitions;
    return counts;
  };
  gpu::engine_traits traits;
  traits.page_bytes = 100'000;
  traits.state_slot_bytes = 1'000'000;
  traits.transition_slot_bytes = 2'000'000;
  CHECK(check_fits(*plan, pools(5, 4, 1), traits).ok());
  const auto says = [&](const gpu::engine_counts& counts) {
    const status fits = check_fits(*plan, counts, traits);
    REQUIRE_FALSE(fits.ok());
    CHECK(fits.error().kind == failure_kind::rejected);
    return fits.error().message;
  };
  CHECK(says(pools(3, 4, 1)) ==
        "the request needs 5 key-value pages, 2 more than it can ever have, and can never run; "
        "shorten the prompt, or give --cache-bytes 13M at least");
  CHECK(says(pools(5, 3, 1)).find("4 state slots, 1 more") != std::string::npos);
  CHECK(says(pools(5, 4, 0)).find("1 transition slots, 1 more") != std::string::npos);
  // An anchor that others have pinned is there for ever, unless it is the request's own.
  gpu::engine_counts pinned = pools(5, 4, 1);
  pinned.pages.held[static_cast<std::size_t>(gpu::unit_owner::pinned)] = 1;
  CHECK(says(pinned).find("1 more") != std::string::npos);
}

TEST_CASE("entries without T are refused a place in the cache", "[actors][request_plan]") {
  plan_stage stage;
  request asked = ask({text(1, 30), text(2, 100), text(6, 12)});
  asked.with_transitions = false;
  const auto cached = stage.plan(asked);
  REQUIRE_FALSE(cached.ok());
  CHECK(cached.error().kind == failure_kind::rejected);
  asked.use_cache = false;
  CHECK(stage.plan(asked).ok());
}

TEST_CASE("a segment too long behind the anchor is rejected by name", "[actors][request_plan]") {
  plan_stage stage;
  stage.names.anchor = {text(50, 80)};
  stage.positions_max = 150;
  const auto plan = stage.plan(ask({text(1, 3), text(2, 100), text(6, 12)}));
  REQUIRE_FALSE(plan.ok());
  CHECK(plan.error().kind == failure_kind::rejected);
  CHECK(plan.error().message.find("segment 1") != std::string::npos);
  CHECK(plan.error().message.find("anchor") != std::string::npos);
}

}  // namespace weft::actors
