#include "actors/session/sequence_script.hpp"

#include <catch2/catch.hpp>

namespace weft::actors {
namespace {

slot_ptr slot_of(slot_state state, std::uint64_t maker, std::uint64_t serial) {
  auto slot = std::make_shared<entry_slot>();
  slot->state = state;
  slot->maker = maker;
  slot->serial = serial;
  slot->entry = std::make_shared<gpu::entry>();
  return slot;
}

const token_ids tokens(200, 5);

std::span<const token_id> first(std::size_t count) { return std::span(tokens).first(count); }

script_item run_item(std::size_t count) {
  return {.what = script_act::run, .tokens = first(count)};
}

const gpu::run_tokens& run_at(const sequence_script::cut& cut, std::size_t index) {
  return std::get<gpu::run_tokens>(cut.work.at(index));
}

}  // namespace

TEST_CASE("a run that is cut goes on with its grid", "[actors][sequence_script]") {
  sequence_script script({run_item(8), run_item(150)}, {});
  const auto start = script.take(8 + 64);
  REQUIRE(start.work.size() == 2);
  CHECK(run_at(start, 0).starts_grid);
  CHECK(run_at(start, 1).starts_grid);
  CHECK_FALSE(start.finished);
  const auto rest = script.take(86);
  REQUIRE(rest.work.size() == 1);
  CHECK_FALSE(run_at(rest, 0).starts_grid);
  CHECK(run_at(rest, 0).tokens.size() == 86);
  CHECK(rest.finished);
}

TEST_CASE("an entry begins and ends once however its tokens are cut", "[actors][sequence_script]") {
  const auto slot = slot_of(slot_state::computing, 1, 9);
  sequence_script script({{.what = script_act::make, .tokens = first(100), .slot = slot}},
                         {.maker = 1});
  const auto start = script.take(64);
  REQUIRE(start.work.size() == 2);
  CHECK(std::holds_alternative<gpu::begin_entry>(start.work[0]));
  CHECK(start.made.empty());
  const auto end = script.take(36);
  REQUIRE(end.work.size() == 2);
  CHECK(std::holds_alternative<gpu::end_entry>(end.work[1]));
  CHECK(end.made == std::vector<slot_ptr>{slot});
}

TEST_CASE("entries of a script get T unless it says otherwise", "[actors][sequence_script]") {
  for (const bool with : {true, false}) {
    const auto slot = slot_of(slot_state::computing, 1, 9);
    sequence_script script({{.what = script_act::make, .tokens = first(10), .slot = slot}},
                           {.maker = 1, .with_transitions = with});
    const auto start = script.take(10);
    CHECK(std::get<gpu::begin_entry>(start.work.at(0)).with_transition == with);
  }
}

TEST_CASE("only a request's own entry may be spliced in the step that makes it",
          "[actors][sequence_script]") {
  const auto needs = [](slot_state state, std::uint64_t maker, script_act act) {
    const sequence_script script({{.what = act, .slot = slot_of(state, maker, 9)}, run_item(4)},
                                 {.maker = 1});
    return script.remaining().runs.at(0).needs;
  };
  using ids = std::vector<std::int64_t>;
  CHECK(needs(slot_state::resident, 2, script_act::splice) == ids{});
  CHECK(needs(slot_state::computing, 1, script_act::splice) == ids{9});
  CHECK(needs(slot_state::computing, 2, script_act::splice) == ids{-1});
  CHECK(needs(slot_state::abandoned, 1, script_act::splice) == ids{-1});
  CHECK(needs(slot_state::resident, 2, script_act::restore) == ids{});
  CHECK(needs(slot_state::computing, 1, script_act::restore) == ids{-1});
}

TEST_CASE("the last token alone is drawn from", "[actors][sequence_script]") {
  sequence_script script({run_item(8), run_item(70)},
                         {.want_logits = true, .draw = gpu::sampling{}});
  const auto start = script.take(8 + 64);
  for (std::size_t index = 0; index < 2; ++index) {
    CHECK_FALSE(run_at(start, index).draw.has_value());
    CHECK_FALSE(run_at(start, index).want_logits);
  }
  const auto end = script.take(6);
  CHECK(run_at(end, 0).draw.has_value());
  CHECK(run_at(end, 0).want_logits);
}

TEST_CASE("a row's target is the next token of the prompt or a stand-in",
          "[actors][sequence_script]") {
  const token_ids ids = {10, 11, 12};
  sequence_script script({{.what = script_act::run, .tokens = ids, .following = 40},
                          {.what = script_act::run, .tokens = ids}},
                         {.want_scores = true});
  const auto cut = script.take(6);
  CHECK(run_at(cut, 0).targets == token_ids{11, 12, 40});
  CHECK(run_at(cut, 1).targets == token_ids{11, 12, 12});
}

TEST_CASE("a checkpoint whose maker gave up is made here", "[actors][sequence_script]") {
  const auto slot = slot_of(slot_state::abandoned, 2, 9);
  sequence_script script(
      {{.what = script_act::restore, .tokens = first(30), .slot = slot}, run_item(4)},
      {.maker = 1});
  slot->state = slot_state::computing;
  slot->maker = 1;
  script.make_here(slot);
  REQUIRE(script.remaining().runs.size() == 2);
  const auto cut = script.take(34);
  CHECK(cut.made == std::vector<slot_ptr>{slot});
  CHECK(cut.finished);
}

}  // namespace weft::actors
