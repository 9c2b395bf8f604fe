#include "actors/session/step_lesson.hpp"

#include <catch2/catch.hpp>

namespace weft::actors {
namespace {

gpu::run_tokens rows(std::int64_t count, gpu::row_class kind = gpu::row_class::prefill) {
  return {.tokens = token_ids(static_cast<std::size_t>(count), 1), .kind = kind};
}

gpu::sequence at_position(std::int64_t tokens) {
  gpu::sequence made;
  made.tokens = tokens;
  return made;
}

// A plan of the given prefill and decode rows, each in sequences of their own at position 0.
std::optional<prefill_work> lesson_of_rows(std::int64_t prefill, std::int64_t decode) {
  gpu::sequence target;
  gpu::step_plan plan;
  if (prefill > 0) plan.context.push_back({.target = &target, .work = {rows(prefill)}});
  for (std::int64_t row = 0; row < decode; ++row)
    plan.context.push_back({.target = &target, .work = {rows(1, gpu::row_class::decode)}});
  return lesson_of(plan);
}

}  // namespace

TEST_CASE("a lesson is the work of all prefill rows where they stand", "[actors][step_lesson]") {
  gpu::sequence alone = at_position(0);
  gpu::sequence context = at_position(30);
  const auto document = std::make_shared<gpu::entry>();
  document->tokens_max = 76;  // Completed by this very step: nothing is stored yet.
  gpu::step_plan plan;
  plan.isolated.push_back(
      {.target = &alone,
       .work = {rows(8), gpu::begin_entry{document}, rows(76), gpu::end_entry{}}});
  plan.context.push_back(
      {.target = &context, .work = {rows(8), gpu::splice_entry{.what = document}, rows(16)}});
  const auto lesson = lesson_of(plan);
  prefill_work expected = work_of(84);
  expected += work_of(8, 30);
  expected += work_of(16, 30 + 8 + 76);
  REQUIRE(lesson.has_value());
  CHECK(*lesson == expected);
}

TEST_CASE("what follows a restored checkpoint stands behind it", "[actors][step_lesson]") {
  gpu::sequence context = at_position(0);
  const auto lead = std::make_shared<gpu::entry>();
  lead->tokens_max = 50;
  gpu::step_plan plan;
  plan.context.push_back({.target = &context, .work = {gpu::restore_checkpoint{lead}, rows(100)}});
  CHECK(lesson_of(plan) == work_of(100, 50));
}

TEST_CASE("small steps and steps full of decode rows teach nothing", "[actors][step_lesson]") {
  CHECK(lesson_of_rows(64, 0) == work_of(64));
  CHECK_FALSE(lesson_of_rows(63, 0).has_value());
  CHECK_FALSE(lesson_of_rows(0, 0).has_value());
  CHECK_FALSE(lesson_of_rows(0, 70).has_value());
  CHECK(lesson_of_rows(320, 10) == work_of(320));  // Decode rows are left out of the work.
  CHECK_FALSE(lesson_of_rows(319, 10).has_value());
}

}  // namespace weft::actors
