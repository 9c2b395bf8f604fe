#include "policies/placement/step_cut.hpp"

#include <numeric>
#include <random>

#include <catch2/catch.hpp>

#include "tests/test_seed.hpp"

namespace weft {
namespace {

using tokens = std::vector<std::int64_t>;

lane lane_of(std::vector<std::int64_t> runs) {
  lane made;
  for (const std::int64_t count : runs) made.runs.push_back({.tokens = count});
  return made;
}

}  // namespace

TEST_CASE("all that fits runs in one step", "[policies][step_cut]") {
  const auto cut = cut_step(2, {lane_of({8, 76, 16}), lane_of({30})}, {256, 64});
  CHECK(cut.decode_rows == 2);
  CHECK(cut.lane_tokens == tokens{100, 30});
}

TEST_CASE("a long run is cut at a grid edge", "[policies][step_cut]") {
  CHECK(cut_step(0, {lane_of({500})}, {256, 64}).lane_tokens == tokens{256});
  CHECK(cut_step(0, {lane_of({8, 500})}, {256, 64}).lane_tokens == tokens{8 + 192});
  CHECK(cut_step(1, {lane_of({500})}, {256, 64}).lane_tokens == tokens{192});
}

TEST_CASE("lanes after one that does not fit wait their turn", "[policies][step_cut]") {
  CHECK(cut_step(0, {lane_of({200}), lane_of({100}), lane_of({5})}, {256, 64}).lane_tokens ==
        tokens{200, 0, 0});
}

TEST_CASE("decode rows go first and leave prefill one chunk", "[policies][step_cut]") {
  const auto cut = cut_step(64, {lane_of({300})}, {64, 64});
  CHECK(cut.decode_rows == 64);
  CHECK(cut.lane_tokens == tokens{64});
}

TEST_CASE("a limit below one chunk still lets one chunk run", "[policies][step_cut]") {
  CHECK(cut_step(0, {lane_of({300}), lane_of({4})}, {10, 64}).lane_tokens == tokens{64, 0});
  CHECK(cut_step(0, {lane_of({30})}, {10, 64}).lane_tokens == tokens{30});
}

TEST_CASE("more decode rows than the limit are bounded", "[policies][step_cut]") {
  CHECK(cut_step(100, {}, {64, 64}).decode_rows == 64);
}

TEST_CASE("a context splices in the step that completes its entry", "[policies][step_cut]") {
  lane isolated = lane_of({8, 76});
  isolated.gives = 7;
  lane context = lane_of({8, 16});
  context.runs[1].needs = {7};
  CHECK(cut_step(0, {isolated, context}, {256, 64}).lane_tokens == tokens{84, 24});
  // The entry's body (76) is cut, so the context goes as far as its splice in a later step.
  CHECK(cut_step(0, {isolated, context}, {80, 64}).lane_tokens == tokens{72, 0});
}

TEST_CASE("a context waits at an entry that another step will complete", "[policies][step_cut]") {
  lane context = lane_of({8, 16});
  context.runs[1].needs = {7};
  CHECK(cut_step(0, {context, lane_of({5})}, {256, 64}).lane_tokens == tokens{8, 5});
}

TEST_CASE("cuts end at grid edges and every lane ends after finitely many steps",
          "[policies][step_cut]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 300; ++round) {
    const step_limits limits{.tokens_max = 1 + static_cast<std::int64_t>(random() % 400),
                             .chunk_tokens = 64};
    std::vector<lane> lanes(1 + random() % 5);
    for (lane& each : lanes)
      for (std::size_t run = 0; run < 1 + random() % 4; ++run)
        each.runs.push_back({.tokens = 1 + static_cast<std::int64_t>(random() % 300)});
    int steps = 0;
    for (; !lanes.empty(); ++steps) {
      REQUIRE(steps < 1000);
      const auto cut = cut_step(random() % 3, lanes, limits);
      std::int64_t ran = 0;
      for (std::size_t index = 0; index < lanes.size(); ++index) {
        std::int64_t left = cut.lane_tokens[index];
        ran += left;
        auto& runs = lanes[index].runs;
        while (!runs.empty() && left >= runs.front().tokens) {
          left -= runs.front().tokens;
          runs.erase(runs.begin());
        }
        REQUIRE(left % 64 == 0);
        if (left > 0) runs.front().tokens -= left;
      }
      REQUIRE(ran > 0);
      REQUIRE(ran <= std::max<std::int64_t>(limits.tokens_max, 64));
      std::erase_if(lanes, [](const lane& each) { return each.runs.empty(); });
    }
  }
}

}  // namespace weft
