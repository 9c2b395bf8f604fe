#include "messages/wire/serving_codec.hpp"

#include <limits>

#include <catch2/catch.hpp>

#include "messages/wire/bounds.hpp"
#include "messages/wire/serving.capnp.h"
#include "tests/messages/wire_rewrite.hpp"
#include "tests/messages/wire_samples.hpp"

namespace weft::messages::serving {

namespace {

using Catch::Matchers::Contains;
using root = schema::Serving::Builder;

template <class Change>
std::string refusal_after(std::string_view sample, const Change& change) {
  return test::refusal_in(
      decode(test::rewritten<schema::Serving>(test::packed_sample(sample), change)));
}

void check_comes_back(const message& said) {
  const auto packed = encode(said);
  REQUIRE(packed.ok());
  const auto read = decode(*packed);
  INFO(test::refusal_in(read));
  REQUIRE(read.ok());
  CHECK(*read == said);
}

}  // namespace

TEST_CASE("modes, kinds and outcomes that this build does not know are refused by field",
          "[messages][serving_codec]") {
  CHECK_THAT(
      refusal_after("serving.generate",
                    [](root what) {
                      what.getGenerate().getWork().setMode(test::unknown<schema::ReuseMode>());
                    }),
      Contains("work.mode is 999, which this build does not know"));
  CHECK_THAT(refusal_after("serving.refused",
                           [](root what) {
                             what.getRefused().setKind(test::unknown<schema::FailureKind>());
                           }),
             Contains("refused.kind is 999"));
  CHECK_THAT(refusal_after(
                 "serving.failed",
                 [](root what) { what.getFailed().setKind(test::unknown<schema::FailureKind>()); }),
             Contains("failed.kind is 999"));
  CHECK_THAT(refusal_after(
                 "serving.served",
                 [](root what) { what.getServed().setOutcome(test::unknown<schema::Outcome>()); }),
             Contains("served.outcome is 999"));
}

TEST_CASE("roles, verdicts and reasons of receipts that this build does not know are refused",
          "[messages][serving_codec]") {
  CHECK_THAT(refusal_after("serving.finished",
                           [](root what) {
                             what.getFinished().getReceipts()[1].setRole(
                                 test::unknown<schema::SegmentRole>());
                           }),
             Contains("finished.receipts.role is 999"));
  CHECK_THAT(refusal_after("serving.finished",
                           [](root what) {
                             what.getFinished().getReceipts()[1].setVerdict(
                                 test::unknown<schema::Verdict>());
                           }),
             Contains("finished.receipts.verdict is 999"));
  CHECK_THAT(refusal_after("serving.finished",
                           [](root what) {
                             what.getFinished().getReceipts()[1].setReason(
                                 test::unknown<schema::VerdictReason>());
                           }),
             Contains("finished.receipts.reason is 999"));
}

TEST_CASE("every mode, kind, outcome, verdict and reason comes back", "[messages][serving_codec]") {
  auto wish = test::sample_of<generate>("serving.generate");
  for (const reuse_mode mode : all_modes) {
    wish.wanted.mode = mode;
    check_comes_back(wish);
  }
  auto end = test::sample_of<failed>("serving.failed");
  for (const auto kind :
       {failure_kind::rejected, failure_kind::overloaded, failure_kind::unavailable,
        failure_kind::cancelled, failure_kind::broken}) {
    end.kind = kind;
    check_comes_back(end);
  }
  auto account = test::sample_of<served>("serving.served");
  for (const auto how : {outcome::finished, outcome::failed, outcome::cancelled}) {
    account.how = how;
    check_comes_back(account);
  }
  auto answer = test::sample_of<finished>("serving.finished");
  for (const auto role : {segment_role::lead, segment_role::document, segment_role::question}) {
    answer.receipts[0].role = role;
    check_comes_back(answer);
  }
  for (const auto what : {verdict::warm, verdict::cold, verdict::context}) {
    answer.receipts[0].what = what;
    check_comes_back(answer);
  }
  answer.receipts[0].reason = std::nullopt;
  check_comes_back(answer);
  for (auto reason = verdict_reason::new_segment; reason <= verdict_reason::mode;
       reason = static_cast<verdict_reason>(static_cast<int>(reason) + 1)) {
    answer.receipts[0].reason = reason;
    check_comes_back(answer);
  }
}

TEST_CASE("a request without a seam of its own comes back without one",
          "[messages][serving_codec]") {
  auto wish = test::sample_of<generate>("serving.generate");
  wish.wanted.wanted_seam = std::nullopt;
  check_comes_back(wish);
  wish.wanted.wanted_seam = seam{.head_tokens = 0, .tail_tokens = 0};
  check_comes_back(wish);
}

TEST_CASE("the longest prompt in the most segments, each pulled from elsewhere, fits an envelope",
          "[messages][serving_codec]") {
  auto order = test::sample_of<serve>("serving.serve");
  order.told.clear();
  order.wanted.segments.assign(segments_max,
                               {.tokens = token_ids(prompt_tokens_max / segments_max, 151'935)});
  order.sources.clear();
  for (std::size_t i = 0; i < segments_max; ++i) {
    order.sources.push_back({.segment = static_cast<std::int64_t>(i),
                             .key = test::key_from(1),
                             .kind = source_kind::pull,
                             .worker = {{std::string(node_name_bytes_max, 'w')}, {1}}});
  }
  check_comes_back(order);
  const auto packed = encode(order);
  CHECK(packed->bytes().size() > envelope_bytes_max / 2);
  order.told = {1};
  const auto refused = encode(order);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == failure_kind::rejected);
}

TEST_CASE("segments, sources, tokens and receipts beyond their bounds are refused by field",
          "[messages][serving_codec]") {
  CHECK_THAT(
      refusal_after("serving.generate",
                    [](root what) { what.getGenerate().getWork().initSegments(segments_max + 1); }),
      Contains("work.segments has 4097 items"));
  CHECK_THAT(
      refusal_after("serving.generate",
                    [](root what) {
                      what.getGenerate().getWork().getSegments()[1].initTokens(prompt_tokens_max);
                    }),
      Contains("work.segments.tokens has 262144 items; at most 262141"));
  CHECK_THAT(refusal_after("serving.serve",
                           [](root what) { what.getServe().initTold(prompt_tokens_max + 1); }),
             Contains("serve.told has 262145 items"));
  CHECK_THAT(refusal_after("serving.serve",
                           [](root what) { what.getServe().initSources(segments_max + 1); }),
             Contains("serve.sources has 4097 items"));
  CHECK_THAT(refusal_after("serving.new_tokens",
                           [](root what) { what.getNewTokens().initIds(prompt_tokens_max + 1); }),
             Contains("newTokens.ids has 262145 items"));
  CHECK_THAT(refusal_after("serving.finished",
                           [](root what) { what.getFinished().initReceipts(segments_max + 1); }),
             Contains("finished.receipts has 4097 items"));
}

TEST_CASE("numbers that are none are refused, and -inf as a logprob is one",
          "[messages][serving_codec]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinite = std::numeric_limits<double>::infinity();
  for (const double bad : {nan, infinite, -infinite, -1.0}) {
    CHECK_THAT(
        refusal_after("serving.served", [&](root what) { what.getServed().setMeasuredMs(bad); }),
        Contains("served.measuredMs"));
    CHECK_THAT(refusal_after("serving.finished",
                             [&](root what) { what.getFinished().getTimes().setPlanMs(bad); }),
               Contains("finished.times"));
    CHECK_THAT(
        refusal_after("serving.generate",
                      [&](root what) { what.getGenerate().getWork().getDraw().setTopP(bad); }),
        Contains("work.draw.topP is outside"));
  }
  for (const double bad : {nan, infinite}) {
    CHECK_THAT(refusal_after("serving.new_tokens",
                             [&](root what) { what.getNewTokens().getLogprobs().set(0, bad); }),
               Contains("newTokens.logprobs holds NaN or +inf"));
  }
  CHECK(refusal_after("serving.new_tokens", [&](root what) {
          what.getNewTokens().getLogprobs().set(0, -infinite);
        }).empty());
}

TEST_CASE("a failure gets through whatever its sentence is made of", "[messages][serving_codec]") {
  auto end = test::sample_of<failed>("serving.failed");
  end.message = "bad name '\xFF'";
  auto packed = encode(end);
  REQUIRE(packed.ok());
  CHECK(std::get<failed>(*decode(*packed)).message == "bad name '\xEF\xBF\xBD'");
  for (const char* piece : {"x", "\xC3\xA9", "\xFF"}) {
    end.message.clear();
    while (end.message.size() < 2 * sentence_bytes_max) end.message += piece;
    packed = encode(end);
    REQUIRE(packed.ok());
    const auto read = decode(*packed);
    REQUIRE(read.ok());
    const std::string& said = std::get<failed>(*read).message;
    CHECK(said.size() <= sentence_bytes_max);
    CHECK(said.size() > sentence_bytes_max - 4);
  }
  const std::string long_one(sentence_bytes_max + 1, 's');
  CHECK_THAT(refusal_after("serving.failed",
                           [&](root what) { what.getFailed().setMessage(long_one.c_str()); }),
             Contains("failed.message has 4097 bytes"));
}

}  // namespace weft::messages::serving
