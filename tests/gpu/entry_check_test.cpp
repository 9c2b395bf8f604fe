// Damage in the memory of entries on the host engine: found before use, in every part, and nobody
// else's work suffers.
#include "gpu/host/entry_check.hpp"

#include <cmath>
#include <optional>

#include <catch2/catch.hpp>

#include "tests/gpu/prompt_on_engine.hpp"

namespace weft::gpu {
namespace {

constexpr std::int64_t stored = 100;  // One page and a part of the next.

token_ids numbered(std::int64_t count, token_id first) {
  token_ids ids;
  for (std::int64_t i = 0; i < count; ++i) ids.push_back(static_cast<token_id>(first + i * 7));
  return ids;
}

std::shared_ptr<entry> make_entry(host_engine& on, entry_kind kind, token_id first) {
  auto alone = on.make_sequence();
  auto made = on.make_entry(kind, stored);
  REQUIRE((alone.ok() && made.ok()));
  step_plan plan;
  plan.isolated.push_back(
      {.target = &*alone,
       .work = {begin_entry{*made}, run_tokens{.tokens = numbered(stored, first)}, end_entry{}}});
  const auto done = run_step(on, std::move(plan));
  REQUIRE(done.ok());
  REQUIRE_FALSE(done->isolated[0].error.has_value());
  return *made;
}

sequence ready(host_engine& on) {
  auto made = on.make_sequence();
  REQUIRE(made.ok());
  REQUIRE(on.reserve(*made, {8}).ok());
  return std::move(*made);
}

sequence_step read_and_ask(sequence& target, const std::shared_ptr<entry>& what) {
  sequence_work read = splice_entry{what};
  if (what->kind == entry_kind::checkpoint) read = restore_checkpoint{what};
  return {.target = &target,
          .work = {read,
                   run_tokens{.tokens = numbered(8, 3), .draw = sampling{}, .want_logits = true}}};
}

sequence_outcome read_alone(host_engine& on, const std::shared_ptr<entry>& what) {
  sequence target = ready(on);
  step_plan plan;
  plan.context.push_back(read_and_ask(target, what));
  auto done = run_step(on, std::move(plan));
  REQUIRE(done.ok());
  return std::move(done->context[0]);
}

// The last float-row of every part; T of a head whose gates did not close.
std::vector<entry_place> places_of(const host_engine& on, const entry& of) {
  const model_shape& shape = on.shape();
  const std::int64_t layer = shape.linear_layers() - 1;
  std::vector<entry_place> places = {
      {entry_part::state, layer, shape.linear.value_heads - 1, shape.linear.key_dim - 1},
      {entry_part::convolution, layer, 0, shape.linear.conv_kernel - 2},
      {entry_part::keys, shape.attention_layers() - 1, shape.attention.key_value_heads - 1, 0},
      {entry_part::keys, shape.attention_layers() - 1, 0, stored - 1},
      {entry_part::values, 0, shape.attention.key_value_heads - 1, 63},
      {entry_part::values, 0, 0, stored - 1}};
  for (std::size_t flag = of.closed.size(); of.kind == entry_kind::splice && flag-- > 0;)
    if (of.closed[flag] == 0) {
      const auto at = static_cast<std::int64_t>(flag);
      places.push_back({entry_part::transition, at / shape.linear.value_heads,
                        at % shape.linear.value_heads, shape.linear.key_dim - 1});
      break;
    }
  return places;
}

}  // namespace

TEST_CASE("damage in any part of an entry is found before it is used", "[gpu][entry_check]") {
  const auto engine = bundled_engine({.threads = 2});
  for (const entry_kind kind : {entry_kind::splice, entry_kind::checkpoint}) {
    const auto what = make_entry(*engine, kind, 5);
    const auto clean = read_alone(*engine, what);
    REQUIRE_FALSE(clean.error.has_value());
    const auto places = places_of(*engine, *what);
    CHECK(places.size() == (kind == entry_kind::splice ? 7 : 6));
    for (const entry_place& place : places)
      for (const float bad : {std::nanf(""), -INFINITY}) {
        CAPTURE(static_cast<int>(kind), static_cast<int>(place.part), place.row, bad);
        float& at = engine->float_of(*what, place);
        const float before = at;
        at = bad;
        const auto found = read_alone(*engine, what);
        at = before;
        REQUIRE(found.error.has_value());
        CHECK(found.bad_entries == std::vector<const entry*>{what.get()});
        CHECK_FALSE(found.token.has_value());
        CHECK(found.logits.empty());
      }
    CHECK(read_alone(*engine, what).logits == clean.logits);
  }
}

TEST_CASE("what lies beyond an entry's tokens or in a closed head's T is no damage",
          "[gpu][entry_check]") {
  const auto engine = bundled_engine({.threads = 2});
  const auto what = make_entry(*engine, entry_kind::splice, 5);
  const auto clean = read_alone(*engine, what);
  const std::int64_t layers = engine->shape().attention_layers();
  for (std::int64_t row = stored; row < 2 * page_tokens; ++row)
    for (const auto part : {entry_part::keys, entry_part::values})
      engine->float_of(*what, {part, layers - 1, 0, row}) = std::nanf("");
  for (std::size_t flag = 0; flag < what->closed.size(); ++flag) {
    const auto at = static_cast<std::int64_t>(flag);
    const std::int64_t heads = engine->shape().linear.value_heads;
    if (what->closed[flag] != 0)
      engine->float_of(*what, {entry_part::transition, at / heads, at % heads, 0}) = std::nanf("");
  }
  const auto again = read_alone(*engine, what);
  CHECK_FALSE(again.error.has_value());
  CHECK(again.logits == clean.logits);
}

TEST_CASE("a damaged entry holds its readers back and nobody else", "[gpu][entry_check]") {
  const auto engine = bundled_engine({.threads = 2});
  const auto good = make_entry(*engine, entry_kind::splice, 5);
  const auto bad = make_entry(*engine, entry_kind::splice, 900);
  const auto anchor = make_entry(*engine, entry_kind::checkpoint, 300);
  const auto clean = read_alone(*engine, good);
  engine->float_of(*bad, {entry_part::values, 0, 0, 0}) = std::nanf("");
  engine->float_of(*anchor, {entry_part::state, 0, 0, 0}) = std::nanf("");
  sequence reads_bad = ready(*engine);
  sequence reads_good = ready(*engine);
  sequence behind_anchor = ready(*engine);
  sequence awaits_entry = ready(*engine);
  auto room = engine->make_entry(entry_kind::splice, stored);
  REQUIRE(room.ok());
  step_plan plan;
  plan.isolated.push_back({.target = &behind_anchor,
                           .work = {restore_checkpoint{anchor}, begin_entry{*room},
                                    run_tokens{.tokens = numbered(stored, 7)}, end_entry{}}});
  plan.context.push_back(read_and_ask(reads_bad, bad));
  plan.context.push_back(read_and_ask(reads_good, good));
  plan.context.push_back(read_and_ask(awaits_entry, *room));
  const auto done = run_step(*engine, std::move(plan));
  REQUIRE(done.ok());
  CHECK(done->context[0].bad_entries == std::vector<const entry*>{bad.get()});
  CHECK_FALSE(done->context[1].error.has_value());
  CHECK(done->context[1].logits == clean.logits);
  CHECK(done->isolated[0].bad_entries == std::vector<const entry*>{anchor.get()});
  // Not to blame: what it waits for was not made.
  CHECK(done->context[2].error.has_value());
  CHECK(done->context[2].bad_entries.empty());
  CHECK_FALSE((*room)->complete);
  CHECK(reads_bad.tokens == 0);
  CHECK(reads_bad.held.empty());
}

TEST_CASE("an entry that goes bad under a running sequence is named when its logits show it",
          "[gpu][entry_check]") {
  const auto engine = bundled_engine({.threads = 2});
  const auto what = make_entry(*engine, entry_kind::splice, 5);
  sequence target = ready(*engine);
  step_plan first;
  first.context.push_back({.target = &target, .work = {splice_entry{what}}});
  first.context.back().work.push_back(run_tokens{.tokens = numbered(4, 3)});
  REQUIRE(run_step(*engine, std::move(first)).ok());
  engine->float_of(*what, {entry_part::values, 0, 0, 10}) = std::nanf("");
  step_plan second;
  second.context.push_back(
      {.target = &target,
       .work = {run_tokens{
           .tokens = {9}, .kind = row_class::decode, .starts_grid = false, .draw = sampling{}}}});
  const auto done = run_step(*engine, std::move(second));
  REQUIRE(done.ok());
  REQUIRE(done->context[0].error.has_value());
  CHECK(done->context[0].bad_entries == std::vector<const entry*>{what.get()});
}

TEST_CASE("memory that held NaN leaves no trace in what is made in it next", "[gpu][entry_check]") {
  // Pools hand out first what came back last: the second entry gets the first one's memory.
  const auto engine = bundled_engine({.threads = 2});
  std::vector<float> clean;
  {
    const auto what = make_entry(*engine, entry_kind::splice, 5);
    clean = read_alone(*engine, what).logits;
    for (std::int64_t row = 0; row < 2 * page_tokens; ++row)
      for (const auto part : {entry_part::keys, entry_part::values})
        engine->float_of(*what, {part, 0, 0, row}) = std::nanf("");
    for (const auto part : {entry_part::state, entry_part::transition, entry_part::convolution})
      engine->float_of(*what, {part, 0, 0, 0}) = std::nanf("");
  }
  const auto again = make_entry(*engine, entry_kind::splice, 5);
  const auto told = read_alone(*engine, again);
  CHECK_FALSE(told.error.has_value());
  CHECK(told.logits == clean);
}

}  // namespace weft::gpu
