// Steps in pieces, and entries that travel layer by layer between two engines.
#include "gpu/door/open_step.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include <catch2/catch.hpp>

#include "gpu/door/entry_form.hpp"
#include "gpu/host/host_engine.hpp"
#include "tests/gpu/golden.hpp"
#include "tests/gpu/prompt_on_engine.hpp"

namespace weft::gpu {
namespace {

constexpr std::int64_t head = 8;
constexpr std::int64_t stored = 150;  // Three pages, the last one not full.

token_ids some_tokens(std::int64_t count, std::int64_t first) {
  token_ids made;
  for (std::int64_t i = 0; i < count; ++i)
    made.push_back(static_cast<token_id>((first + 37 * i) % 2000));
  return made;
}

sequence reserved(engine& on, std::vector<std::int64_t> runs) {
  sequence made = on.make_sequence().value();
  REQUIRE(on.reserve(made, runs).ok());
  return made;
}

// The isolated prefill of one entry.
step_plan making(sequence& in, const std::shared_ptr<entry>& what) {
  step_plan plan;
  plan.isolated.push_back({.target = &in,
                           .work = {run_tokens{.tokens = some_tokens(head, 5)}, begin_entry{what},
                                    run_tokens{.tokens = some_tokens(stored, 11)}, end_entry{}}});
  return plan;
}

// A context that splices it.
step_plan using_it(sequence& in, const std::shared_ptr<const entry>& what) {
  step_plan plan;
  plan.context.push_back({.target = &in,
                          .work = {run_tokens{.tokens = some_tokens(70, 3)}, splice_entry{what},
                                   run_tokens{.tokens = some_tokens(20, 9), .want_logits = true}}});
  return plan;
}

std::optional<step_outcome> run_piece(engine& on, open_step& step, std::int64_t end_layer) {
  std::optional<result<std::optional<step_outcome>>> told;
  std::atomic<bool> done = false;
  on.submit(step, end_layer, [&](result<std::optional<step_outcome>> outcome) {
    told.emplace(std::move(outcome));
    done = true;
    done.notify_one();
  });
  done.wait(false);
  REQUIRE(told->ok());
  return std::move(told->value());
}

// As entry `of` will be, to be filled layer by layer.
std::shared_ptr<entry> arriving_like(engine& on, const entry_form& of) {
  auto made = on.make_entry(of.kind, of.tokens).value();
  made->tokens = of.tokens;
  made->local_begin = of.local_begin;
  made->from_zero = of.from_zero;
  made->conv_rows = of.conv_rows;
  made->arriving = true;
  return made;
}

std::vector<std::byte> record_of(const engine& on, const entry& of, std::int64_t layer) {
  std::vector<std::byte> record(static_cast<std::size_t>(on.layer_bytes_max(of, layer)));
  record.resize(static_cast<std::size_t>(on.read_layer(of, layer, record)));
  return record;
}

constexpr entry_form form{
    .tokens = stored, .local_begin = head, .from_zero = false, .conv_rows = 3};

// The logits of the context where one engine makes the entry and splices it.
std::vector<float> logits_at_home() {
  const auto engine = bundled_engine({.threads = 2});
  sequence isolated = reserved(*engine, {head});
  auto what = engine->make_entry(entry_kind::splice, stored).value();
  REQUIRE(run_step(*engine, making(isolated, what)).ok());
  CHECK(form_of(*what) == form);
  sequence context = reserved(*engine, {70, 20});
  auto outcome = run_step(*engine, using_it(context, what));
  REQUIRE(outcome.ok());
  REQUIRE_FALSE(outcome->context[0].logits.empty());
  return outcome->context[0].logits;
}

}  // namespace

TEST_CASE("a step gives the same in one piece and in many, with others between",
          "[gpu][open_step]") {
  const std::vector<float> expected = logits_at_home();
  const auto engine = bundled_engine({.threads = 2});
  sequence isolated = reserved(*engine, {head});
  auto what = engine->make_entry(entry_kind::splice, stored).value();
  sequence context = reserved(*engine, {70, 20});
  sequence stranger = reserved(*engine, {100});

  step_plan plan = making(isolated, what);
  plan.context = using_it(context, what).context;
  const auto step = engine->open(std::move(plan));
  std::optional<step_outcome> outcome;
  for (std::int64_t layer = 0; layer < step->layers(); ++layer) {
    REQUIRE_FALSE(outcome.has_value());
    CHECK(step->layers_done() == layer);
    outcome = run_piece(*engine, *step, layer + 1);
    step_plan between;
    run_tokens run{.tokens = some_tokens(1, layer)};
    run.kind = layer == 0 ? row_class::prefill : row_class::decode;
    run.starts_grid = layer == 0;
    between.context.push_back({.target = &stranger, .work = {run}});
    REQUIRE(run_step(*engine, std::move(between)).ok());
  }
  REQUIRE(outcome.has_value());
  REQUIRE(outcome->context.size() == 1);
  CHECK_FALSE(outcome->context[0].error.has_value());
  CHECK(outcome->context[0].logits == expected);
  CHECK(what->complete);
}

TEST_CASE("a context may follow an entry layer by layer while another engine makes it",
          "[gpu][open_step]") {
  const std::vector<float> expected = logits_at_home();
  const auto maker = bundled_engine({.threads = 1});
  const auto user = bundled_engine({.threads = 2});
  sequence isolated = reserved(*maker, {head});
  auto made = maker->make_entry(entry_kind::splice, stored).value();
  const auto making_it = maker->open(making(isolated, made));

  auto copy = arriving_like(*user, form);
  sequence context = reserved(*user, {70, 20});
  const auto following = user->open(using_it(context, copy));
  std::optional<step_outcome> outcome;
  for (std::int64_t layer = 0; layer < following->layers(); ++layer) {
    run_piece(*maker, *making_it, layer + 1);
    REQUIRE(user->write_layer(*copy, layer, record_of(*maker, *made, layer)).ok());
    outcome = run_piece(*user, *following, layer + 1);
  }
  copy->complete = true;
  copy->arriving = false;
  REQUIRE(outcome.has_value());
  CHECK(outcome->context[0].logits == expected);
  CHECK(user->copy_entry(*copy).state == maker->copy_entry(*made).state);
  CHECK(user->copy_entry(*copy).transition == maker->copy_entry(*made).transition);

  SECTION("and later ones splice the copy like any entry") {
    sequence later = reserved(*user, {70, 20});
    auto again = run_step(*user, using_it(later, copy));
    REQUIRE(again.ok());
    CHECK(again->context[0].logits == expected);
  }
}

TEST_CASE("a checkpoint travels, too", "[gpu][open_step]") {
  const auto run = [](engine& on, sequence& in, const std::shared_ptr<const entry>& from) {
    step_plan plan;
    plan.context.push_back(
        {.target = &in,
         .work = {restore_checkpoint{from},
                  run_tokens{.tokens = some_tokens(20, 9), .want_logits = true}}});
    auto outcome = run_step(on, std::move(plan));
    REQUIRE(outcome.ok());
    REQUIRE_FALSE(outcome->context[0].error.has_value());
    return outcome->context[0].logits;
  };
  for (const std::int64_t tokens : {1, 2, 90}) {
    const auto maker = bundled_engine({.threads = 1});
    sequence lead = reserved(*maker, {});
    auto made = maker->make_entry(entry_kind::checkpoint, tokens).value();
    step_plan plan;
    plan.context.push_back(
        {.target = &lead,
         .work = {begin_entry{made}, run_tokens{.tokens = some_tokens(tokens, 2)}, end_entry{}}});
    REQUIRE(run_step(*maker, std::move(plan)).ok());
    const auto user = bundled_engine({.threads = 1});
    auto copy = arriving_like(*user, form_of(*made));
    for (std::int64_t layer = 0; layer < 8; ++layer)
      REQUIRE(user->write_layer(*copy, layer, record_of(*maker, *made, layer)).ok());
    sequence here = reserved(*maker, {20});
    sequence there = reserved(*user, {20});
    CHECK(run(*user, there, copy) == run(*maker, here, made));
  }
}

TEST_CASE("a record that is none is refused", "[gpu][open_step]") {
  const auto engine = bundled_engine({.threads = 1});
  sequence isolated = reserved(*engine, {head});
  auto made = engine->make_entry(entry_kind::splice, stored).value();
  REQUIRE(run_step(*engine, making(isolated, made)).ok());
  for (const std::int64_t layer : {0, 3}) {  // A linear one, and one of attention.
    INFO("layer " << layer);
    auto copy = arriving_like(*engine, form);
    const std::vector<std::byte> whole = record_of(*engine, *made, layer);
    const auto refused = [&](const std::vector<std::byte>& record, const std::string& word) {
      const status written = engine->write_layer(*copy, layer, record);
      REQUIRE_FALSE(written.ok());
      CHECK(written.error().kind == failure_kind::rejected);
      CHECK(written.error().message.find(word) != std::string::npos);
    };
    for (const std::size_t bytes :
         {std::size_t{0}, std::size_t{3}, whole.size() / 2, whole.size() - 1})
      refused({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(bytes)}, "bytes");
    std::vector<std::byte> longer = whole;
    longer.push_back(std::byte{0});
    refused(longer, "bytes");
    std::vector<std::byte> damaged = whole;
    const float nan = std::numeric_limits<float>::quiet_NaN();
    std::memcpy(damaged.data() + damaged.size() - 4, &nan, 4);
    refused(damaged, "NaN");
    CHECK(engine->write_layer(*copy, layer, whole).ok());
  }
  auto copy = arriving_like(*engine, form);
  std::vector<std::byte> record = record_of(*engine, *made, 0);
  record[4 * 4] = std::byte{7};  // The first flag, behind four log decays.
  const status written = engine->write_layer(*copy, 0, record);
  REQUIRE_FALSE(written.ok());
  CHECK(written.error().message.find("flag") != std::string::npos);
}

TEST_CASE("a record tells nothing of who had the memory before", "[gpu][open_step]") {
  const auto engine = bundled_engine({.threads = 1});
  const auto fresh = bundled_engine({.threads = 1});
  {
    // Fills the pages and slots that the entry below gets.
    sequence isolated = reserved(*engine, {head});
    auto other = engine->make_entry(entry_kind::splice, 192).value();
    step_plan plan;
    plan.isolated.push_back(
        {.target = &isolated,
         .work = {run_tokens{.tokens = some_tokens(head, 700)}, begin_entry{other},
                  run_tokens{.tokens = some_tokens(192, 900)}, end_entry{}}});
    REQUIRE(run_step(*engine, std::move(plan)).ok());
  }
  std::vector<std::vector<std::byte>> records[2];
  for (const auto& on : {engine.get(), fresh.get()}) {
    sequence isolated = reserved(*on, {head});
    auto made = on->make_entry(entry_kind::splice, stored).value();
    REQUIRE(run_step(*on, making(isolated, made)).ok());
    for (std::int64_t layer = 0; layer < 8; ++layer)
      records[on == fresh.get() ? 1 : 0].push_back(record_of(*on, *made, layer));
  }
  CHECK(records[0] == records[1]);
}

TEST_CASE("an open step that is dropped holds nothing", "[gpu][open_step]") {
  const auto engine = bundled_engine({.threads = 1});
  {
    sequence isolated = reserved(*engine, {head});
    auto what = engine->make_entry(entry_kind::splice, stored).value();
    const auto step = engine->open(making(isolated, what));
    run_piece(*engine, *step, 3);
  }
  CHECK(engine->counts().pages.in_use() == 0);
  CHECK(engine->counts().state_slots.in_use() == 0);
  CHECK(engine->counts().transition_slots.in_use() == 0);
  sequence context = reserved(*engine, {70});
  step_plan plan;
  plan.context.push_back(
      {.target = &context, .work = {run_tokens{.tokens = some_tokens(70, 3), .draw = sampling{}}}});
  auto outcome = run_step(*engine, std::move(plan));
  REQUIRE(outcome.ok());
  CHECK(outcome->context[0].token.has_value());
}

}  // namespace weft::gpu
