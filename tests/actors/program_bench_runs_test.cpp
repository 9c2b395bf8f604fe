#include <algorithm>

#include "actors/program/bench_runs.hpp"
#include "tests/actors/bench_stage.hpp"
#include "tests/actors/session_fixture.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

void check_order(const spread& values) {
  CHECK(values.least > 0);
  CHECK(values.least <= values.median);
  CHECK(values.median <= values.most);
}

constexpr bench_prompt small = {.segments = 2, .segment_tokens = 40, .question_tokens = 4};

}  // namespace

TEST_CASE("a warm run follows a cold one where the mode reuses anything", "[actors][bench_runs]") {
  bench_stage stage;
  int ticks = 0;
  bench_runs runs(*stage.model.live, 1, [&] { ++ticks; });
  const auto full = runs.first_token(reuse_mode::full_recompute, {0, 0}, small, 2);
  REQUIRE(full.ok());
  check_order(full->cold);
  CHECK_FALSE(full->warm.has_value());
  const auto stitched = runs.first_token(reuse_mode::stitched, {8, 16}, small, 2);
  REQUIRE(stitched.ok());
  REQUIRE(stitched->warm.has_value());
  check_order(*stitched->warm);
  CHECK(stitched->warm_reused_tokens == 32 + 2 * (40 - 24));
  CHECK(ticks == 4);
}

TEST_CASE("rates have as many runs as asked for", "[actors][bench_runs]") {
  bench_stage stage;
  int ticks = 0;
  bench_runs runs(*stage.model.live, 1, [&] { ++ticks; });
  const auto prefill = runs.prefill_rate(50, 3);
  REQUIRE(prefill.ok());
  check_order(*prefill);
  const auto decode = runs.decode_rate({.batch = 3, .prompt_tokens = 9, .new_tokens = 4}, 2);
  REQUIRE(decode.ok());
  check_order(*decode);
  CHECK(ticks == 3 + 2);
  CHECK_FALSE(stage.model.live->step());  // Nothing is left behind.
}

TEST_CASE("a batch that does not fit at once has no rate", "[actors][bench_runs]") {
  bench_stage stage("10M");
  bench_runs runs(*stage.model.live, 1, {});
  const auto rate = runs.decode_rate({.batch = 8, .prompt_tokens = 9, .new_tokens = 2}, 1);
  REQUIRE_FALSE(rate.ok());
  CHECK(contains(rate.error().message, "a batch of 8"));
  CHECK(contains(rate.error().message, "--cache-bytes"));
}

TEST_CASE("what T adds is measured without the cache, in turns", "[actors][bench_runs]") {
  bench_stage stage;
  int ticks = 0;
  bench_runs runs(*stage.model.live, 1, [&] { ++ticks; });
  const auto added = runs.transition_share({8, 0}, small, 3);
  REQUIRE(added.ok());
  CHECK(added->least <= added->median);
  CHECK(added->median <= added->most);
  CHECK(ticks == 6);
  CHECK(stage.model.live->cached().entries == 0);
}

TEST_CASE("what T adds is a share of the prefill without it", "[actors][bench_runs]") {
  session_fixture stage;
  stage.fake->poisonous = false;  // Prompts are drawn from the whole vocabulary.
  const auto made_with_transition = [](const gpu::sequence_step& step) {
    return std::any_of(step.work.begin(), step.work.end(), [](const gpu::sequence_work& work) {
      const auto* opening = std::get_if<gpu::begin_entry>(&work);
      return opening != nullptr && opening->what->kind == gpu::entry_kind::splice &&
             opening->with_transition;
    });
  };
  // A step takes 10 ms, and 2.5 ms more where it makes an entry with its T.
  stage.fake->step_ms = [&](const gpu::step_plan& plan) {
    return std::any_of(plan.isolated.begin(), plan.isolated.end(), made_with_transition) ? 12.5
                                                                                         : 10.0;
  };
  bench_runs runs(*stage.live, 1, {});
  const auto added = runs.transition_share({8, 0}, small, 3);
  REQUIRE(added.ok());
  CHECK(added->median == Approx(0.25));
  CHECK(added->least == added->most);
}

TEST_CASE("a rehearsal tells what would not run, and runs nothing", "[actors][bench_runs]") {
  bench_stage stage;
  bench_runs runs(*stage.model.live, 1, {});
  CHECK(runs.rehearse(reuse_mode::stitched, {8, 16}, small).ok());
  CHECK_FALSE(runs.rehearse(reuse_mode::stitched, {1, 0}, small).ok());  // Too short a head.
  CHECK(runs.rehearse(100, 1).ok());
  const auto long_one = runs.rehearse(1 << 20, 1);
  REQUIRE_FALSE(long_one.ok());
  CHECK_FALSE(stage.model.live->step());
}
