#include "gpu/host/step_batch.hpp"

#include <catch2/catch.hpp>

#include "gpu/door/overlay.hpp"

namespace weft::gpu {
namespace {

std::shared_ptr<entry> make_entry(unit_pool& pages, entry_kind kind, std::int64_t tokens) {
  auto made = std::make_shared<entry>();
  made->kind = kind;
  made->tokens_max = tokens;
  for (std::int64_t first = 0; first < tokens; first += page_tokens)
    made->pages.push_back(pages.take(unit_owner::in_flight).value());
  return made;
}

}  // namespace

TEST_CASE("prefill rows come first, decode rows after them", "[gpu][step_batch]") {
  unit_pool pages("pages", 20);
  sequence decoding;
  sequence prefilling;
  REQUIRE(reserve_overlay(pages, decoding, {10}).ok());
  REQUIRE(reserve_overlay(pages, prefilling, {5}).ok());
  step_plan first;
  first.context.push_back({.target = &decoding, .work = {run_tokens{.tokens = {1, 2, 3}}}});
  step_batch before;
  lay_out(first, 3, before);
  step_plan plan;
  plan.context.push_back(
      {.target = &decoding,
       .work = {run_tokens{.tokens = {4}, .kind = row_class::decode, .starts_grid = false}}});
  plan.context.push_back({.target = &prefilling, .work = {run_tokens{.tokens = {7, 8}}}});
  CHECK(plan.rows() == 3);
  step_batch batch;
  lay_out(plan, 3, batch);
  CHECK(batch.prefill_rows == 2);
  CHECK(batch.decode_rows == 1);
  CHECK(batch.tokens == token_ids{7, 8, 4});
  CHECK(batch.positions == std::vector<std::int64_t>{0, 1, 3});
  CHECK(decoding.spans.size() == 1);
  CHECK(decoding.spans[0].tokens == 4);
}

TEST_CASE("a splice makes the entry's keys visible and turns queries to its positions",
          "[gpu][step_batch]") {
  unit_pool pages("pages", 20);
  const auto anchor = make_entry(pages, entry_kind::checkpoint, 70);
  const auto document = make_entry(pages, entry_kind::splice, 100);
  sequence anchored;
  sequence alone;
  sequence context;
  REQUIRE(reserve_overlay(pages, alone, {8}).ok());
  REQUIRE(reserve_overlay(pages, context, {30, 8, 16}).ok());
  step_plan first;
  first.isolated.push_back(
      {.target = &anchored,
       .work = {begin_entry{anchor}, run_tokens{.tokens = token_ids(70, 1)}, end_entry{}}});
  step_batch before;
  lay_out(first, 3, before);
  CHECK(anchor->from_zero);
  step_plan plan;
  plan.isolated.push_back(
      {.target = &alone,
       .work = {restore_checkpoint{anchor}, run_tokens{.tokens = token_ids(8, 2)},
                begin_entry{document}, run_tokens{.tokens = token_ids(100, 3)}, end_entry{}}});
  plan.context.push_back(
      {.target = &context,
       .work = {run_tokens{.tokens = token_ids(30, 4)}, run_tokens{.tokens = token_ids(8, 2)},
                splice_entry{document}, run_tokens{.tokens = token_ids(16, 5)}}});
  step_batch batch;
  lay_out(plan, 3, batch);
  CHECK(document->complete);
  CHECK_FALSE(document->from_zero);
  CHECK(document->local_begin == 78);
  CHECK(document->conv_rows == 3);
  REQUIRE(context.spans.size() == 4);
  CHECK(context.spans[2].first == 38);
  CHECK(context.spans[2].turn == 38 - 78);
  CHECK(context.spans[2].blocks.size() == 2);
  CHECK(context.spans[2].blocks[0].page == document->pages[0].id());
  CHECK(context.spans[2].blocks[1].count == 36);
  CHECK(context.tokens == 30 + 8 + 100 + 16);
  // Turned forward by the anchor, the last query needs angles beyond its own position.
  CHECK(batch.positions_end == context.tokens + 40);
}

TEST_CASE("key blocks are counted from a run's first token, whatever the cut",
          "[gpu][step_batch]") {
  unit_pool pages("pages", 20);
  sequence target;
  REQUIRE(reserve_overlay(pages, target, {20, 150}).ok());
  for (const auto& [tokens, starts] :
       {std::pair<std::int64_t, bool>{20, true}, {64, true}, {64, false}, {22, false}}) {
    step_plan plan;
    plan.context.push_back(
        {.target = &target,
         .work = {run_tokens{.tokens = token_ids(static_cast<std::size_t>(tokens), 1),
                             .starts_grid = starts}}});
    step_batch batch;
    lay_out(plan, 3, batch);
  }
  REQUIRE(target.spans.size() == 2);
  CHECK(target.spans[1].first == 20);
  std::vector<std::int32_t> counts;
  for (const key_block& block : target.spans[1].blocks) {
    counts.push_back(block.count);
    CHECK(block.offset == 0);
  }
  CHECK(counts == std::vector<std::int32_t>{64, 64, 22});
}

}  // namespace weft::gpu
