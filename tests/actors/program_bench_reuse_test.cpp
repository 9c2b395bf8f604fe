#include <catch2/catch.hpp>

#include "actors/program/bench_reuse.hpp"
#include "tests/actors/session_fixture.hpp"

namespace weft::actors {
namespace {

std::vector<request_segment> numbered(std::int64_t documents) {
  std::vector<request_segment> prompt;
  for (std::int64_t i = 0; i < documents + 2; ++i)
    prompt.push_back({.tokens = token_ids(10, static_cast<token_id>(i))});
  return prompt;
}

// Which of the prompt's segments came from where in the one before; -1: fresh.
std::vector<int> origins(const std::vector<request_segment>& of) {
  std::vector<int> all;
  for (const request_segment& each : of) {
    const bool known = each.tokens == token_ids(10, each.tokens.front());
    all.push_back(known ? each.tokens.front() : -1);
  }
  return all;
}

std::vector<int> follow_up_of(std::int64_t known, bool moved) {
  prompt_draws draws(1000, 3);
  return origins(follow_up(numbered(4), known, moved, draws));
}

}  // namespace

TEST_CASE("known segments come first in a follow-up, behind a known lead",
          "[actors][bench_reuse]") {
  CHECK(follow_up_of(0, false) == std::vector<int>{-1, -1, -1, -1, -1, -1});
  CHECK(follow_up_of(3, false) == std::vector<int>{0, 1, 2, 3, -1, -1});
  CHECK(follow_up_of(4, false) == std::vector<int>{0, 1, 2, 3, 4, -1});
}

TEST_CASE("moved ones stand last and in another order", "[actors][bench_reuse]") {
  CHECK(follow_up_of(3, true) == std::vector<int>{0, -1, 2, 3, 1, -1});
  CHECK(follow_up_of(4, true) == std::vector<int>{0, 2, 3, 4, 1, -1});
  CHECK(follow_up_of(0, true) == std::vector<int>{-1, -1, -1, -1, -1, -1});
}

TEST_CASE("a sweep goes from none to all in quarters, each count once", "[actors][bench_reuse]") {
  using counts = std::vector<std::int64_t>;
  CHECK(known_counts(16) == counts{0, 4, 8, 12, 16});
  CHECK(known_counts(2) == counts{0, 1, 2});
  CHECK(known_counts(1) == counts{0, 1});
  CHECK(known_counts(6) == counts{0, 2, 3, 5, 6});
}

TEST_CASE("a mode that chains has a second line, of moved segments", "[actors][bench_reuse]") {
  const auto series = reuse_series_of({reuse_mode::prefix_cache, reuse_mode::stitched});
  REQUIRE(series.size() == 3);
  CHECK(series[0].name() == "prefix_cache");
  CHECK(series[1].name() == "prefix_cache moved");
  CHECK(series[2].name() == "stitched");
}

TEST_CASE("a sweep reuses what the mode can and counts every run", "[actors][bench_reuse]") {
  session_fixture stage;
  prompt_draws draws(fake_engine::poison, 1);
  reuse_sweep sweep{.series = reuse_series_of({reuse_mode::full_recompute, reuse_mode::prefix_cache,
                                               reuse_mode::stitched}),
                    .prompt = {.segments = 4, .segment_tokens = 50, .question_tokens = 6},
                    .runs = 2,
                    .seam_for = [](reuse_mode mode) {
                      return default_seam(mode, {8, 16});
                    }};
  std::vector<std::string> turns;
  const auto lines = measure_reuse(*stage.live, sweep, draws, [&](const reuse_series& of) {
    if (turns.empty() || turns.back() != of.name()) turns.push_back(of.name());
  });
  REQUIRE(lines.ok());
  const std::vector<std::string> names = {"full_recompute", "prefix_cache", "prefix_cache moved",
                                          "stitched"};
  std::vector<std::string> twice = names;
  twice.insert(twice.end(), names.begin(), names.end());
  CHECK(turns == twice);
  const std::vector<std::vector<std::int64_t>> reused = {
      {0, 0, 0, 0, 0}, {0, 82, 132, 182, 232}, {0, 32, 32, 32, 32}, {0, 58, 84, 110, 136}};
  for (std::size_t line = 0; line < reused.size(); ++line)
    for (std::size_t point = 0; point < 5; ++point)
      CHECK(lines->at(line).points.at(point).reused_tokens == reused[line][point]);
  CHECK(lines->back().points.back().known_share == Approx((32 + 4 * 50) / 238.0));
}

TEST_CASE("a cache with room for one prompt is enough for a sweep", "[actors][bench_reuse]") {
  session_fixture stage({}, {.pages = 200, .state_slots = 7, .transition_slots = 4});
  prompt_draws draws(fake_engine::poison, 1);
  const auto lines =
      measure_reuse(*stage.live,
                    {.series = {{.mode = reuse_mode::stitched}},
                     .prompt = {.segments = 4, .segment_tokens = 50, .question_tokens = 6},
                     .runs = 1,
                     .seam_for =
                         [](reuse_mode) {
                           return seam{8, 16};
                         }},
                    draws, [](const reuse_series&) {});
  if (!lines.ok()) FAIL(lines.error().message);
  CHECK(lines->front().points.back().reused_tokens == 136);
  CHECK(lines->front().points.at(1).reused_tokens == 58);
  CHECK(stage.live->cached().evictions > 0);
}

}  // namespace weft::actors
