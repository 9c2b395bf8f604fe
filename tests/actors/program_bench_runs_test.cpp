#include <catch2/catch.hpp>

#include "actors/program/bench_runs.hpp"

using namespace weft::actors;

TEST_CASE("a spread is median, least and most", "[actors][bench_runs]") {
  const spread odd = spread_of({3, 1, 2});
  CHECK(odd.median == 2);
  CHECK(odd.least == 1);
  CHECK(odd.most == 3);
  const spread even = spread_of({4, 1, 2, 3});
  CHECK(even.median == 2.5);
  CHECK(spread_of({7}).median == 7);
}

TEST_CASE("a bench prompt counts its lead, segments and question", "[actors][bench_runs]") {
  CHECK(tokens_of({.segments = 16, .segment_tokens = 512, .question_tokens = 64}) == 8288);
  CHECK(tokens_of({.segments = 0, .segment_tokens = 512, .question_tokens = 1}) == 33);
}
