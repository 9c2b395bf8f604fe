#include "actors/session/live_session.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "tests/actors/session_fixture.hpp"
#include "tests/test_seed.hpp"

namespace weft::actors {
namespace {

// What one document of 100 tokens with a question takes under `stitched`, for tight pools.
request ask_one(std::int64_t document) {
  return ask({text(1, 30), text(document, 100), text(6, 12)});
}

request poisoned(request asked, std::size_t segment) {
  asked.segments[segment].tokens[10] = fake_engine::poison;
  return asked;
}

}  // namespace

TEST_CASE("two requests for one key prefill it once", "[actors][live_session]") {
  session_options options;
  options.step_tokens_max = 64;  // So that the first is still at it when the second comes.
  session_fixture stage(options);
  const auto one = stage.start(ask_one(2));
  stage.live->step();
  const auto two = stage.start(ask_one(2));
  stage.finish_all();
  CHECK(stage.fake->isolated_rows == 84);
  const answer first = stage.take(one);
  const answer second = stage.take(two);
  CHECK(first.last_logits == second.last_logits);
  CHECK(verdicts(second) == "ccx");
  CHECK(second.reused_tokens == 0);
}

TEST_CASE("when a maker is cancelled its waiter makes the entry", "[actors][live_session]") {
  session_options options;
  options.step_tokens_max = 64;
  session_fixture stage(options);
  const auto one = stage.start(ask_one(2));
  stage.live->step();
  const auto two = stage.start(ask_one(2));
  stage.live->step();
  stage.live->cancel(one);
  stage.finish_all();
  CHECK_FALSE(stage.live->take(one).has_value());
  session_fixture fresh;
  CHECK(stage.take(two).last_logits == fresh.run(ask_one(2)).last_logits);
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("a request that fails takes only itself and its entries along",
          "[actors][live_session]") {
  session_fixture stage;
  const auto bad = stage.start(poisoned(ask_one(2), 1));
  const auto good = stage.start(ask_one(3));
  stage.finish_all();
  const auto failed = stage.live->take(bad);
  REQUIRE(failed.has_value());
  REQUIRE_FALSE(failed->ok());
  session_fixture fresh;
  CHECK(stage.take(good).last_logits == fresh.run(ask_one(3)).last_logits);
  CHECK(stage.in_flight() == 0);
  CHECK_FALSE(stage.live->run(poisoned(ask_one(2), 1)).ok());
}

TEST_CASE("a waiter of an entry that came out wrong makes its own", "[actors][live_session]") {
  session_options options;
  options.step_tokens_max = 64;
  session_fixture stage(options);
  request long_poison = ask_one(2);
  long_poison.segments[1].tokens[80] = fake_engine::poison;  // In the body, in a later step.
  const auto one = stage.start(long_poison);
  stage.live->step();
  const auto two = stage.start(long_poison);
  stage.finish_all();
  CHECK_FALSE(stage.live->take(one)->ok());
  CHECK_FALSE(stage.live->take(two)->ok());
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("a broken engine fails all with its reason", "[actors][live_session]") {
  session_fixture stage;
  stage.fake->steps_until_break = 1;
  const auto one = stage.start(ask_one(2));
  const auto two = stage.start(ask_one(3));
  stage.finish_all();
  for (const auto id : {one, two}) {
    const auto done = stage.live->take(id);
    REQUIRE(done.has_value());
    REQUIRE_FALSE(done->ok());
    CHECK(done->error().message == "the device is lost");
  }
  CHECK(stage.refuse(ask_one(4)).kind == failure_kind::broken);
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("the entry used longest ago makes room for a new one", "[actors][live_session]") {
  // Each document: 2 pages; lead 1; overlay 1; head of the isolated prefill 1.
  session_fixture stage({}, {.pages = 7, .state_slots = 10, .transition_slots = 10});
  stage.run(ask_one(2));
  stage.run(ask_one(3));
  stage.run(ask_one(2));
  stage.run(ask_one(4));
  CHECK(stage.live->cached().evictions == 1);
  CHECK(verdicts(stage.run(ask_one(2))) == "wwx");
  CHECK(stage.run(ask_one(3)).receipts[1].reason == verdict_reason::evicted);
}

TEST_CASE("what does not fit now waits and what can never fit is rejected",
          "[actors][live_session]") {
  session_fixture stage({}, {.pages = 6, .state_slots = 10, .transition_slots = 10});
  const auto one = stage.start(ask_one(2));
  const auto two = stage.start(ask_one(3));
  stage.finish_all();
  CHECK(stage.take(one).tokens.size() == 6);
  CHECK(stage.take(two).tokens.size() == 6);
  const failure why = stage.refuse(ask({text(1, 30), text(2, 500), text(6, 12)}));
  CHECK(why.kind == failure_kind::rejected);
  CHECK(why.message.find("--cache-bytes 1M") != std::string::npos);
  CHECK(stage.live->cached().entries > 0);  // The refusal cost nobody's entries.

  session_fixture few({}, {.pages = 60, .state_slots = 3, .transition_slots = 10});
  CHECK(few.refuse(ask_one(2)).message.find("4 state slots") != std::string::npos);
}

TEST_CASE("one request more than the session takes is overloaded", "[actors][live_session]") {
  session_options options;
  options.requests_max = 2;
  session_fixture stage(options);
  const auto one = stage.start(ask_one(2));
  stage.start(ask_one(3));
  CHECK(stage.refuse(ask_one(4)).kind == failure_kind::overloaded);
  stage.finish_all();
  stage.take(one);
  CHECK(stage.live->start(ask_one(4)).ok());
}

TEST_CASE("a full queue answers overloaded until one has started", "[actors][live_session]") {
  session_options options;
  options.waiting_max = 2;
  session_fixture stage(options);
  const auto one = stage.start(ask_one(2));
  stage.start(ask_one(3));
  const auto full = stage.live->start(ask_one(4));
  REQUIRE_FALSE(full.ok());
  CHECK(full.error().kind == failure_kind::overloaded);
  CHECK(full.error().message.find("2 requests wait") != std::string::npos);
  stage.live->step();
  const auto three = stage.start(ask_one(4));
  stage.finish_all();
  CHECK(stage.take(one).tokens.size() == 6);
  CHECK(stage.take(three).tokens.size() == 6);
}

TEST_CASE("by value a document that many ask for outlasts those that came later",
          "[actors][live_session]") {
  const auto evicted_after_visits = [](eviction_policy eviction) {
    session_options options;
    options.eviction = eviction;
    // Room for the lead and two documents, and one request at work.
    session_fixture stage(options, {.pages = 7, .state_slots = 10, .transition_slots = 10});
    for (int visit = 0; visit < 3; ++visit) stage.run(ask_one(2));
    for (const std::int64_t passer_by : {3, 4, 5}) stage.run(ask_one(passer_by));
    CHECK(stage.live->cached().evictions == 2);
    return stage.run(ask_one(2)).receipts[1].reason == verdict_reason::evicted;
  };
  CHECK_FALSE(evicted_after_visits(eviction_policy::value_per_byte));
  CHECK(evicted_after_visits(eviction_policy::least_recent));
}

TEST_CASE("a newcomer does not get the room that was promised to a waiter",
          "[actors][live_session]") {
  // The first makes document 2, the second awaits it; the third would fit into what is free, but
  // then the second could not make the document in the first one's place.
  session_options options;
  options.step_tokens_max = 64;
  session_fixture stage(options, {.pages = 60, .state_slots = 7, .transition_slots = 10});
  const request shared = ask({text(1, 30), text(2, 400), text(6, 12)});
  const auto maker = stage.start(shared);  // Lead, document, context, one isolated sequence.
  stage.live->step();
  const auto waiter = stage.start(shared);  // Context now; an isolated sequence if need be.
  stage.live->step();
  CHECK(stage.fake->counts().state_slots.free == 2);
  const auto newcomer = stage.start(ask({text(7, 200)}));
  const auto second = stage.start(ask({text(8, 200)}));
  stage.live->step();
  CHECK(stage.fake->counts().state_slots.free == 1);  // One of the two newcomers only.
  stage.live->cancel(maker);
  stage.finish_all();
  for (const auto id : {waiter, newcomer, second}) CHECK(stage.take(id).tokens.size() > 0);
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("an engine that refuses what its pools have is told as overloaded",
          "[actors][live_session]") {
  session_fixture stage;
  stage.fake->begin_trouble({.refusals = 1000}, 1);
  CHECK(stage.refuse(ask_one(2)).kind == failure_kind::overloaded);
  CHECK(stage.in_use() == 0);
  stage.fake->begin_trouble({}, 1);
  CHECK(stage.run(ask_one(2)).tokens.size() == 6);
}

TEST_CASE("a cancelled request gives back all it held in every phase", "[actors][live_session]") {
  session_options options;
  options.step_tokens_max = 64;
  options.anchor = {text(50, 100)};
  for (int steps = 0; steps < 14; ++steps) {
    CAPTURE(steps);
    session_fixture stage(options);
    const auto id = stage.start(ask_documents());
    for (int step = 0; step < steps; ++step) stage.live->step();
    stage.live->cancel(id);
    CHECK_FALSE(stage.live->step());
    CHECK(stage.in_flight() == 0);
    stage.live->drop_cache();
    CHECK(stage.in_use() <= 3);  // The anchor's slot and two pages, once it is there.
  }
}

TEST_CASE("a listener may cancel its own request and start another", "[actors][live_session]") {
  session_fixture stage;
  std::uint64_t first = 0;
  std::uint64_t second = 0;
  int heard = 0;
  const auto id = stage.live->start(ask_one(2), [&](token_id) {
    ++heard;
    stage.live->cancel(first);
    second = stage.start(ask_one(3));
  });
  first = *id;
  stage.finish_all();
  CHECK(heard == 1);
  CHECK_FALSE(stage.live->take(first).has_value());
  CHECK(stage.take(second).tokens.size() == 6);
}

TEST_CASE("two warm requests over one entry take pages for their overlays only",
          "[actors][live_session]") {
  session_fixture stage;
  stage.run(ask_one(2));
  const std::int64_t cached = stage.fake->counts().pages.in_use();
  stage.start(ask_one(2));
  stage.start(ask_one(2));
  stage.live->step();
  CHECK(stage.fake->counts().pages.in_use() == cached + 2);
  stage.finish_all();
  CHECK(stage.fake->counts().pages.in_use() == cached);
}

namespace {

request random_request(std::mt19937& random) {
  const auto below = [&](unsigned bound) { return static_cast<std::int64_t>(random() % bound); };
  const std::int64_t lengths[] = {1, 3, 20, 24, 25, 64, 65, 100, 150};
  std::vector<token_ids> segments;
  const std::int64_t count = 1 + below(5);
  for (std::int64_t index = 0; index < count; ++index)
    segments.push_back(text(below(6), lengths[below(9)]));
  request asked = ask(std::move(segments), all_modes[random() % all_modes.size()]);
  asked.new_tokens_max = below(5);
  asked.use_cache = below(6) != 0;
  if (below(3) == 0) asked.wanted_seam = seam{3 * below(4), 5 * below(4)};
  for (request_segment& segment : asked.segments) segment.reusable = below(8) != 0;
  if (below(3) == 0) asked.draw = {.temperature = 1, .seed = random()};
  if (below(12) == 0)
    asked.segments[random() % asked.segments.size()].tokens[0] = fake_engine::poison;
  return asked;
}

struct expected_answer {
  std::uint64_t id;
  request asked;
};

}  // namespace

TEST_CASE("pools add up and answers hold whatever is cached, cut, batched or cancelled",
          "[actors][live_session]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 30; ++round) {
    session_options options;
    if (random() % 2 == 0) options.anchor = {text(50, 30), text(51, 70)};
    const auto anchor = options.anchor;
    options.step_tokens_max = 64 * (1 + static_cast<std::int64_t>(random() % 6));
    options.requests_max = 8;
    const bool tight = random() % 2 == 0;
    session_fixture stage(options, tight ? fake_options{26, 14, 8} : fake_options{});
    std::vector<expected_answer> live;
    int answered = 0;
    for (int act = 0; act < 200; ++act) {
      const auto what = random() % 10;
      if (what < 3) {
        request asked = random_request(random);
        const auto id = stage.live->start(asked);
        if (id.ok()) live.push_back({*id, std::move(asked)});
      } else if (what == 3 && !live.empty()) {
        const std::size_t victim = random() % live.size();
        stage.live->cancel(live[victim].id);
        live.erase(live.begin() + static_cast<std::ptrdiff_t>(victim));
      } else if (what == 4 && random() % 4 == 0) {
        stage.live->drop_cache();
      } else {
        stage.live->step();
      }
      stage.in_flight();  // Checks that each pool sums to its total.
      std::erase_if(live, [&](const expected_answer& each) {
        auto done = stage.live->take(each.id);
        if (!done) return false;
        session_options plain;
        plain.anchor = anchor;
        session_fixture judge(plain);
        const auto expected = judge.live->run(each.asked);
        REQUIRE(done->ok() == expected.ok());
        if (done->ok()) {
          CHECK((*done)->tokens == expected->tokens);
          CHECK((*done)->last_logits == expected->last_logits);
        }
        ++answered;
        return true;
      });
    }
    stage.finish_all();
    CHECK(stage.in_flight() == 0);
    CHECK(answered > 5);
    stage.live->drop_cache();
    CHECK(stage.in_use() <= 3);
  }
}

}  // namespace weft::actors
