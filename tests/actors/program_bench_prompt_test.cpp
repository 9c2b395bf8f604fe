#include <catch2/catch.hpp>

#include "actors/program/bench_prompt.hpp"

using namespace weft;
using namespace weft::actors;

TEST_CASE("a bench prompt counts its lead, segments and question", "[actors][bench_prompt]") {
  CHECK(tokens_of({.segments = 16, .segment_tokens = 512, .question_tokens = 64}) == 8288);
  CHECK(tokens_of({.segments = 0, .segment_tokens = 512, .question_tokens = 1}) == 33);
}

TEST_CASE("every drawn prompt is another, and equal seeds draw equal ones",
          "[actors][bench_prompt]") {
  const bench_prompt shape = {.segments = 2, .segment_tokens = 20, .question_tokens = 5};
  prompt_draws draws(100, 7);
  const auto first = draws.prompt(shape);
  REQUIRE(first.size() == 4);
  CHECK(first[0].tokens.size() == 32);
  CHECK(first[2].tokens.size() == 20);
  CHECK(first[3].tokens.size() == 5);
  for (const request_segment& segment : first)
    for (const token_id id : segment.tokens) CHECK((id >= 0 && id < 100));
  CHECK_FALSE(draws.prompt(shape)[1].tokens == first[1].tokens);
  CHECK(prompt_draws(100, 7).prompt(shape)[1].tokens == first[1].tokens);
}
