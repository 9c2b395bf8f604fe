#include "policies/placement/prompt_layout.hpp"

#include <random>
#include <string>

#include <catch2/catch.hpp>

#include "tests/test_seed.hpp"

namespace weft {
namespace {

prompt_facts facts_of(reuse_mode mode, std::vector<std::int64_t> tokens, seam cut = {8, 16}) {
  prompt_facts facts{.mode = mode, .seams = cut, .new_tokens_max = 4, .positions_max = 10000};
  for (const std::int64_t count : tokens) facts.segments.push_back({.tokens = count});
  return facts;
}

// "0:run[0,5)@0 1:splice[8,84)@13": a layout as one line, to be compared with a table.
std::string line_of(const prompt_layout& layout) {
  std::string line;
  for (const prompt_piece& piece : layout.pieces) {
    constexpr const char* names[] = {"run", "splice", "checkpoint"};
    line += (line.empty() ? "" : " ") + std::to_string(piece.segment) + ":" +
            names[static_cast<int>(piece.kind)] + "[" + std::to_string(piece.begin) + "," +
            std::to_string(piece.end) + ")@" + std::to_string(piece.position);
  }
  return line;
}

prompt_layout layout_of(const prompt_facts& facts) {
  const auto made = lay_out(facts);
  REQUIRE(made.ok());
  return *made;
}

}  // namespace

TEST_CASE("each mode lays a prompt out as deploy/docs/formats.md says",
          "[policies][prompt_layout]") {
  const std::vector<std::int64_t> tokens = {5, 100, 24, 25, 1, 7};
  const std::string recomputed =
      "0:run[0,5)@0 1:run[0,100)@5 2:run[0,24)@105 3:run[0,25)@129 4:run[0,1)@154 5:run[0,7)@155";
  const std::string chained =
      "0:checkpoint[0,5)@0 1:checkpoint[0,100)@5 2:checkpoint[0,24)@105 3:checkpoint[0,25)@129 "
      "4:checkpoint[0,1)@154 5:run[0,7)@155";
  const std::string bare =
      "0:checkpoint[0,5)@0 1:splice[0,100)@5 2:splice[0,24)@105 3:splice[0,25)@129 "
      "4:splice[0,1)@154 5:run[0,7)@155";
  const std::string headed =
      "0:checkpoint[0,5)@0 1:run[0,8)@5 1:splice[8,100)@13 2:run[0,8)@105 2:splice[8,24)@113 "
      "3:run[0,8)@129 3:splice[8,25)@137 4:run[0,1)@154 5:run[0,7)@155";
  const std::string stitched =
      "0:checkpoint[0,5)@0 1:run[0,8)@5 1:splice[8,84)@13 1:run[84,100)@89 2:run[0,24)@105 "
      "3:run[0,8)@129 3:splice[8,9)@137 3:run[9,25)@138 4:run[0,1)@154 5:run[0,7)@155";
  const std::vector<std::pair<reuse_mode, std::string>> table = {
      {reuse_mode::full_recompute, recomputed},
      {reuse_mode::prefix_cache, chained},
      {reuse_mode::addition, bare},
      {reuse_mode::transition, bare},
      {reuse_mode::transition_rope, bare},
      {reuse_mode::transition_rope_recompute, headed},
      {reuse_mode::stitched, stitched}};
  for (const auto& [mode, expected] : table) {
    CAPTURE(traits_of(mode).name);
    CHECK(line_of(layout_of(facts_of(mode, tokens, default_seam(mode, {8, 16})))) == expected);
  }
}

TEST_CASE("a segment no longer than its seam runs in context and says so",
          "[policies][prompt_layout]") {
  const auto layout = layout_of(facts_of(reuse_mode::stitched, {5, 24, 25, 7}));
  CHECK(layout.segments[1].treatment == piece_kind::run);
  CHECK(layout.segments[1].reason == verdict_reason::seam_only);
  CHECK(layout.segments[1].seam_tokens == 0);
  CHECK(layout.segments[2].treatment == piece_kind::splice);
  CHECK_FALSE(layout.segments[2].reason.has_value());
  CHECK(layout.segments[2].seam_tokens == 24);
  CHECK(layout.segments[2].reused_if_warm == 1);
}

TEST_CASE("one segment alone is a question in every mode", "[policies][prompt_layout]") {
  for (const reuse_mode mode : all_modes) {
    const auto layout = layout_of(facts_of(mode, {40}));
    REQUIRE(layout.pieces.size() == 1);
    CHECK(layout.segments[0].role == segment_role::question);
    CHECK(layout.segments[0].reason == verdict_reason::question);
    CHECK(layout.context_runs == std::vector<std::int64_t>{44});
  }
}

TEST_CASE("a document that is not reusable runs in context", "[policies][prompt_layout]") {
  auto facts = facts_of(reuse_mode::stitched, {5, 100, 90, 7});
  facts.segments[1].reusable = false;
  const auto layout = layout_of(facts);
  CHECK(layout.segments[1].reason == verdict_reason::not_reusable);
  CHECK(layout.segments[1].reused_if_warm == 0);
  CHECK(layout.segments[2].treatment == piece_kind::splice);
  CHECK(layout.context_runs == std::vector<std::int64_t>{100, 8, 16, 11});
}

TEST_CASE("a lead that is not reusable runs in context", "[policies][prompt_layout]") {
  auto facts = facts_of(reuse_mode::stitched, {5, 100, 7});
  facts.segments[0].reusable = false;
  const auto layout = layout_of(facts);
  CHECK(layout.segments[0].reason == verdict_reason::not_reusable);
  CHECK(layout.segments[1].treatment == piece_kind::splice);
}

TEST_CASE("a question is in context whether or not it is called reusable",
          "[policies][prompt_layout]") {
  auto facts = facts_of(reuse_mode::stitched, {5, 100, 90});
  const std::string reusable = line_of(layout_of(facts));
  facts.segments[2].reusable = false;
  CHECK(line_of(layout_of(facts)) == reusable);
}

TEST_CASE("a prefix chain ends at the first segment that is not reusable",
          "[policies][prompt_layout]") {
  auto facts = facts_of(reuse_mode::prefix_cache, {5, 100, 90, 80, 7});
  facts.segments[2].reusable = false;
  const auto layout = layout_of(facts);
  CHECK(layout.segments[1].treatment == piece_kind::checkpoint);
  CHECK(layout.segments[1].reused_if_warm == 100);
  CHECK(layout.segments[2].reason == verdict_reason::not_reusable);
  CHECK(layout.segments[3].reason == verdict_reason::mode);
  CHECK(layout.context_runs == std::vector<std::int64_t>{90, 80, 11});
}

TEST_CASE("permuted and repeated documents keep their cut and change their place only",
          "[policies][prompt_layout]") {
  const auto layout = layout_of(facts_of(reuse_mode::stitched, {5, 70, 70, 100, 7}));
  const auto permuted = layout_of(facts_of(reuse_mode::stitched, {5, 100, 70, 70, 7}));
  CHECK(layout.segments[1].reused_if_warm == layout.segments[2].reused_if_warm);
  CHECK(permuted.segments[1].reused_if_warm == layout.segments[3].reused_if_warm);
  CHECK(permuted.segments[1].position == 5);
  CHECK(layout.segments[3].position == 145);
}

TEST_CASE("an empty prompt and an empty segment are rejected by name",
          "[policies][prompt_layout]") {
  const auto empty = lay_out(facts_of(reuse_mode::stitched, {}));
  REQUIRE_FALSE(empty.ok());
  CHECK(empty.error().kind == failure_kind::rejected);
  const auto hollow = lay_out(facts_of(reuse_mode::stitched, {5, 0, 7}));
  REQUIRE_FALSE(hollow.ok());
  CHECK(hollow.error().kind == failure_kind::rejected);
  CHECK(hollow.error().message.find("segment 1") != std::string::npos);
}

TEST_CASE("prompt and new tokens may fill the positions and not one more",
          "[policies][prompt_layout]") {
  auto facts = facts_of(reuse_mode::stitched, {5, 100, 7});
  facts.positions_max = 116;
  CHECK(lay_out(facts).ok());
  facts.positions_max = 115;
  const auto refused = lay_out(facts);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == failure_kind::rejected);
  for (const char* number : {"112", "4", "115"})
    CHECK(refused.error().message.find(number) != std::string::npos);
  facts.new_tokens_max = INT64_MAX;
  CHECK_FALSE(lay_out(facts).ok());
}

TEST_CASE("a seam longer than any segment overflows nothing", "[policies][prompt_layout]") {
  const auto layout =
      layout_of(facts_of(reuse_mode::stitched, {5, 100, 7}, {INT64_MAX, INT64_MAX}));
  CHECK(layout.segments[1].reason == verdict_reason::seam_only);
}

TEST_CASE("pieces cover every token of a prompt once and in order", "[policies][prompt_layout]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto below = [&](int bound) { return static_cast<std::int64_t>(random() % bound); };
  for (int round = 0; round < 2000; ++round) {
    const reuse_mode mode = all_modes[random() % all_modes.size()];
    prompt_facts facts = facts_of(mode, {}, {below(20), below(20)});
    const std::int64_t count = 1 + below(8);
    for (std::int64_t index = 0; index < count; ++index)
      facts.segments.push_back({.tokens = 1 + below(60), .reusable = below(5) != 0});
    const auto layout = layout_of(facts);
    std::int64_t position = 0;
    std::int64_t in_runs = 0;
    for (const prompt_piece& piece : layout.pieces) {
      REQUIRE(piece.tokens() > 0);
      REQUIRE(piece.position == position);
      REQUIRE(piece.position == layout.segments[piece.segment].position + piece.begin);
      position += piece.tokens();
      if (piece.kind == piece_kind::run) in_runs += piece.tokens();
    }
    REQUIRE(position == layout.prompt_tokens);
    std::int64_t reserved = 0;
    for (const std::int64_t run : layout.context_runs) reserved += run;
    REQUIRE(reserved == in_runs + facts.new_tokens_max);
    std::int64_t reused = 0;
    for (const segment_layout& segment : layout.segments) reused += segment.reused_if_warm;
    REQUIRE(reused == layout.prompt_tokens - in_runs);
  }
}

}  // namespace weft
