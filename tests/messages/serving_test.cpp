#include "messages/wire/serving.hpp"

#include <limits>

#include "messages/wire/bounds.hpp"
#include "tests/messages/wire_refusals.hpp"

namespace weft::messages::serving {

using test::check_refused;

TEST_CASE("what belongs to a request names it and its generation", "[messages][serving]") {
  check_refused<generate>("serving.generate",
                          {{"generate.request", [](generate& m) { m.request.number = 0; }},
                           {"generate.request", [](generate& m) { m.request.gateway = {}; }}});
  check_refused<accepted>("serving.accepted",
                          {{"accepted.attempt", [](accepted& m) { m.plan.generation = {}; }},
                           {"accepted.attempt", [](accepted& m) { m.plan.request = {}; }},
                           {"accepted.worker", [](accepted& m) { m.worker = {}; }}});
  check_refused<refused>("serving.refused",
                         {{"refused.request", [](refused& m) { m.request = {}; }},
                          {"refused.retryAfterMs", [](refused& m) { m.retry_after_ms = -1; }}});
  check_refused<failed>("serving.failed",
                        {{"failed.attempt", [](failed& m) { m.plan.generation = {}; }}});
  check_refused<served>("serving.served",
                        {{"served.attempt", [](served& m) { m.plan = {}; }},
                         {"served.prefilledTokens", [](served& m) { m.prefilled_tokens = -1; }},
                         {"served.measuredMs", [](served& m) { m.measured_ms = -1; }}});
  check_refused<cancel>("serving.cancel",
                        {{"cancel.attempt", [](cancel& m) { m.plan.request.number = 0; }}});
  auto any = test::sample_of<cancel>("serving.cancel");
  any.plan.generation = {};
  CHECK(check(any).ok());
}

TEST_CASE("a request's work is refused by the field that makes no sense", "[messages][serving]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check_refused<generate>(
      "serving.generate",
      {{"work.scope", [](generate& m) { m.wanted.scope = "\xFF"; }},
       {"work.scope", [](generate& m) { m.wanted.scope.assign(257, 's'); }},
       {"work.segments is empty", [](generate& m) { m.wanted.segments.clear(); }},
       {"work.segments has",
        [](generate& m) { m.wanted.segments.resize(segments_max + 1, m.wanted.segments[0]); }},
       {"work.segments.tokens is empty", [](generate& m) { m.wanted.segments[1].tokens = {}; }},
       {"negative id", [](generate& m) { m.wanted.segments[2].tokens[1] = -1; }},
       {"work.segments.tokens is",
        [](generate& m) { m.wanted.segments[2].tokens.assign(prompt_tokens_max - 4, 1); }},
       {"work.seam.headTokens", [](generate& m) { m.wanted.wanted_seam->head_tokens = -1; }},
       {"work.seam.tailTokens",
        [](generate& m) { m.wanted.wanted_seam->tail_tokens = prompt_tokens_max + 1; }},
       {"work.draw.temperature", [&](generate& m) { m.wanted.draw.temperature = nan; }},
       {"work.draw.temperature", [](generate& m) { m.wanted.draw.temperature = -0.1; }},
       {"work.draw.topK", [](generate& m) { m.wanted.draw.top_k = -1; }},
       {"work.draw.topP", [](generate& m) { m.wanted.draw.top_p = 0; }},
       {"work.draw.topP", [&](generate& m) { m.wanted.draw.top_p = nan; }},
       {"work.newTokensMax", [](generate& m) { m.wanted.new_tokens_max = -1; }},
       {"work.deadlineMs", [](generate& m) { m.wanted.deadline_ms = count_max + 1; }}});
}

TEST_CASE("sources name segments of the prompt, each once, and nodes where they must",
          "[messages][serving]") {
  check_refused<serve>(
      "serving.serve",
      {{"serve.attempt", [](serve& m) { m.plan.generation = {}; }},
       {"serve.gateway", [](serve& m) { m.gateway = {}; }},
       {"serve.sources.segment", [](serve& m) { m.sources[2].segment = 3; }},
       {"serve.sources.segment", [](serve& m) { m.sources[0].segment = -1; }},
       {"serve.sources.segment", [](serve& m) { m.sources[1].segment = 0; }},
       {"serve.sources.segment", [](serve& m) { std::swap(m.sources[0], m.sources[1]); }},
       {"serve.sources.from", [](serve& m) { m.sources[0].worker = test::life_of("w1"); }},
       {"serve.sources.from", [](serve& m) { m.sources[1].worker = {}; }},
       {"serve.sources.from", [](serve& m) { m.sources[2].worker = {}; }},
       {"serve.told is 81", [](serve& m) { m.told.assign(81, 1); }},
       {"serve.told holds", [](serve& m) { m.told[0] = -1; }}});
}

TEST_CASE("told tokens count into the longest context", "[messages][serving]") {
  auto order = test::sample_of<serve>("serving.serve");
  order.wanted.segments[2].tokens.assign(prompt_tokens_max - 7, 1);
  CHECK(check(order).ok());
  order.told.push_back(1);
  const status refused = check(order);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().message.find("serve.work and serve.told") != std::string::npos);
}

TEST_CASE("new tokens come with a logprob each or none at all", "[messages][serving]") {
  check_refused<new_tokens>(
      "serving.new_tokens",
      {{"newTokens.attempt", [](new_tokens& m) { m.plan = {}; }},
       {"newTokens.ids is empty", [](new_tokens& m) { m.ids.clear(); }},
       {"newTokens.ids holds", [](new_tokens& m) { m.ids[1] = -5; }},
       {"newTokens.firstIndex", [](new_tokens& m) { m.first_index = -1; }},
       {"newTokens.logprobs is", [](new_tokens& m) { m.logprobs.pop_back(); }},
       {"newTokens.logprobs is", [](new_tokens& m) { m.logprobs.push_back(-1); }},
       {"newTokens.logprobs holds",
        [](new_tokens& m) { m.logprobs[0] = std::numeric_limits<double>::quiet_NaN(); }}});
  auto without = test::sample_of<new_tokens>("serving.new_tokens");
  without.logprobs.clear();
  CHECK(check(without).ok());
}

TEST_CASE("a finished request's accounts are within its prompt", "[messages][serving]") {
  check_refused<finished>(
      "serving.finished",
      {{"finished.attempt", [](finished& m) { m.plan.generation = {}; }},
       {"finished.receipts has",
        [](finished& m) { m.receipts.resize(segments_max + 1, m.receipts[0]); }},
       {"finished.receipts.segment", [](finished& m) { m.receipts[1].segment = segments_max; }},
       {"finished.receipts.tokens", [](finished& m) { m.receipts[1].tokens = -1; }},
       {"finished.receipts.seamTokens", [](finished& m) { m.receipts[1].seam_tokens = 513; }},
       {"finished.receipts.reusedTokens", [](finished& m) { m.receipts[1].reused_tokens = 513; }},
       {"finished.receipts.tier", [](finished& m) { m.receipts[0].tier = "\xFF"; }},
       {"finished.receipts.worker", [](finished& m) { m.receipts[0].worker = "a b"; }},
       {"finished.receipts.bytesMoved", [](finished& m) { m.receipts[0].bytes_moved = -1; }},
       {"finished.receipts.milliseconds", [](finished& m) { m.receipts[0].milliseconds = -1; }},
       {"finished.promptTokens", [](finished& m) { m.prompt_tokens = prompt_tokens_max + 1; }},
       {"finished.reusedTokens", [](finished& m) { m.reused_tokens = m.prompt_tokens + 1; }},
       {"finished.newTokens", [](finished& m) { m.new_tokens = -1; }},
       {"finished.times", [](finished& m) { m.times.splice_ms = -1; }}});
}

}  // namespace weft::messages::serving
