// Entries that are no numbers, through a session over the fake engine: found, put away, made anew,
// counted; and what fails when that does not help.
#include "actors/session/step_damage.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "tests/actors/session_fixture.hpp"
#include "tests/test_seed.hpp"

namespace weft::actors {
namespace {

constexpr std::int64_t document_stored = 76;  // Of 100 tokens behind the default seam.
constexpr std::int64_t lead_stored = 30;

request ask_one(std::int64_t document) {
  return ask({text(1, lead_stored), text(document, 100), text(6, 12)});
}

request poisoned_question() {
  request asked = ask_one(2);
  asked.segments[2].tokens[10] = fake_engine::poison;
  return asked;
}

// Spoils whatever was used lately and stores so many tokens; the times it did.
int spoil(session_fixture& stage, std::int64_t tokens) {
  std::set<const gpu::entry*> spoilt;
  for (const auto& used : stage.fake->last_used)
    if (const auto entry = used.lock(); entry && entry->tokens == tokens) {
      stage.fake->spoil(*entry);
      spoilt.insert(entry.get());
    }
  return static_cast<int>(spoilt.size());
}

std::int64_t quarantined(const session_fixture& stage, quarantine_reason why) {
  return stage.live->cached().quarantined[static_cast<std::size_t>(why)];
}

std::int64_t quarantined_units(const session_fixture& stage) {
  constexpr auto at = static_cast<std::size_t>(gpu::unit_owner::quarantined);
  const gpu::engine_counts counts = stage.fake->counts();
  return counts.pages.held[at] + counts.state_slots.held[at] + counts.transition_slots.held[at];
}

session_options in_small_steps() {
  session_options options;
  options.step_tokens_max = 64;
  return options;
}

void check_names_document(const failure& why) {
  CAPTURE(why.message);
  CHECK(why.kind == failure_kind::broken);
  CHECK(why.message.find("segment 1 (document), key ") != std::string::npos);
}

}  // namespace

TEST_CASE("an entry gone bad is made anew in the same request", "[actors][step_damage]") {
  session_fixture stage;
  const answer before = stage.run(ask_one(2));
  stage.run(ask_one(2));
  REQUIRE(spoil(stage, document_stored) == 1);
  const answer after = stage.run(ask_one(2));
  CHECK(verdicts(after) == "wcx");
  CHECK(after.receipts[1].reason == verdict_reason::invalid);
  CHECK(after.reused_tokens == lead_stored);
  CHECK(after.last_logits == before.last_logits);
  CHECK(after.tokens == before.tokens);
  CHECK(quarantined(stage, quarantine_reason::damaged) == 1);
  CHECK(quarantined(stage, quarantine_reason::suspected) == 0);
  CHECK(stage.in_flight() == 0);
  CHECK(quarantined_units(stage) == 0);
  CHECK(stage.fake->weight_checks == 0);
  CHECK(verdicts(stage.run(ask_one(2))) == "wwx");
}

TEST_CASE("several entries gone bad at once cost one new beginning", "[actors][step_damage]") {
  session_fixture stage;
  const answer before = stage.run(ask_documents());
  stage.run(ask_documents());
  for (const std::int64_t tokens : {30, 76, 46}) REQUIRE(spoil(stage, tokens) == 1);
  const answer after = stage.run(ask_documents());
  CHECK(verdicts(after) == "ccxcxx");
  CHECK(after.last_logits == before.last_logits);
  CHECK(quarantined(stage, quarantine_reason::damaged) == 3);
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("damage is forgiven once an answer came of the new entry", "[actors][step_damage]") {
  session_fixture stage;
  const answer before = stage.run(ask_one(2));
  for (int round = 0; round < 4; ++round) {
    stage.fake->last_used.clear();
    stage.run(ask_one(2));
    REQUIRE(spoil(stage, document_stored) == 1);
    CHECK(stage.run(ask_one(2)).last_logits == before.last_logits);
  }
  CHECK(quarantined(stage, quarantine_reason::damaged) == 4);
}

TEST_CASE("an entry that comes out bad is made once more", "[actors][step_damage]") {
  for (const std::int64_t stored : {document_stored, lead_stored})
    for (const bool use_cache : {true, false}) {
      CAPTURE(stored, use_cache);
      session_fixture fresh;
      const answer clean = fresh.run(ask_one(2));
      session_fixture stage;
      stage.fake->bad_makes[stored] = 1;
      request asked = ask_one(2);
      asked.use_cache = use_cache;
      const answer got = stage.run(asked);
      CHECK(got.last_logits == clean.last_logits);
      CHECK(got.tokens == clean.tokens);
      CHECK(verdicts(got) == "ccx");
      CHECK(got.receipts[stored == lead_stored ? 0 : 1].reason == verdict_reason::invalid);
      CHECK(got.receipts[stored == lead_stored ? 1 : 0].reason == verdict_reason::new_segment);
      CHECK(quarantined(stage, quarantine_reason::made) == 1);
      CHECK(stage.in_flight() == 0);
      CHECK(quarantined_units(stage) == 0);
    }
}

TEST_CASE("an entry that comes out bad twice fails its request by name and nobody else's",
          "[actors][step_damage]") {
  session_fixture stage;
  session_fixture fresh;
  stage.fake->bad_makes[document_stored] = 2;
  request other = ask({text(1, lead_stored), text(3, 90), text(6, 12)});
  const auto one = stage.start(ask_one(2));
  const auto two = stage.start(other);
  stage.finish_all();
  const auto failed = stage.live->take(one);
  REQUIRE((failed.has_value() && !failed->ok()));
  check_names_document(failed->error());
  CHECK(stage.take(two).last_logits == fresh.run(other).last_logits);
  CHECK(quarantined(stage, quarantine_reason::made) == 2);
  CHECK(stage.fake->weight_checks == 1);
  CHECK(stage.in_flight() == 0);
  CHECK(quarantined_units(stage) == 0);
  // A third one in a row is given up at once; a whole one serves again.
  stage.fake->bad_makes[document_stored] = 1;
  check_names_document(stage.refuse(ask_one(2)));
  CHECK(stage.run(ask_one(2)).last_logits == fresh.run(ask_one(2)).last_logits);
}

TEST_CASE("a new entry that comes out bad after a damaged one fails the request",
          "[actors][step_damage]") {
  session_fixture stage;
  stage.run(ask_one(2));
  stage.run(ask_one(2));
  REQUIRE(spoil(stage, document_stored) == 1);
  stage.fake->bad_makes[document_stored] = 1;
  check_names_document(stage.refuse(ask_one(2)));
  CHECK(quarantined(stage, quarantine_reason::damaged) == 1);
  CHECK(quarantined(stage, quarantine_reason::made) == 1);
}

TEST_CASE("two requests that wait for one bad key each get a whole entry or a name",
          "[actors][step_damage]") {
  session_fixture fresh;
  const answer clean = fresh.run(ask_one(2));
  for (const int times : {1, 2, 3}) {
    CAPTURE(times);
    session_fixture stage(in_small_steps());
    stage.fake->bad_makes[document_stored] = times;
    const auto one = stage.start(ask_one(2));
    stage.live->step();
    const auto two = stage.start(ask_one(2));
    stage.finish_all();
    int answered = 0;
    for (const auto id : {one, two}) {
      const auto done = stage.live->take(id);
      REQUIRE(done.has_value());
      answered += done->ok() ? 1 : 0;
      if (done->ok())
        CHECK((*done)->last_logits == clean.last_logits);
      else
        check_names_document(done->error());
    }
    CHECK(answered == 3 - times);
    CHECK(stage.in_flight() == 0);
  }
}

TEST_CASE("who took a damaged entry up before begins again and repeats no token",
          "[actors][step_damage]") {
  session_fixture stage;
  const answer clean = stage.run(ask_one(2));
  stage.run(ask_one(2));
  token_ids heard;
  const auto one =
      stage.live->start(ask_one(2), [&heard](token_id token) { heard.push_back(token); });
  while (heard.size() < 3) stage.live->step();
  REQUIRE(spoil(stage, document_stored) == 1);
  const auto two = stage.start(ask_one(2));
  stage.finish_all();
  const answer first = stage.take(*one);
  CHECK(heard == clean.tokens);
  CHECK(first.tokens == clean.tokens);
  CHECK(first.last_logits == clean.last_logits);
  CHECK(verdicts(first) == "wcx");
  CHECK(verdicts(stage.take(two)) == "wcx");
  CHECK(quarantined(stage, quarantine_reason::damaged) == 1);
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("a token that was told and comes out otherwise fails its request",
          "[actors][step_damage]") {
  session_fixture stage;
  stage.run(ask_one(2));
  stage.run(ask_one(2));
  int heard = 0;
  const auto one = stage.live->start(ask_one(2), [&heard](token_id) { ++heard; });
  while (heard < 3) stage.live->step();
  REQUIRE(spoil(stage, document_stored) == 1);
  stage.fake->draw_salt = 1;
  const auto two = stage.start(ask_one(2));
  stage.finish_all();
  const auto done = stage.live->take(*one);
  REQUIRE((done.has_value() && !done->ok()));
  CHECK(done->error().message.find("was told before") != std::string::npos);
  CHECK(heard == 3);
  stage.take(two);
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("a request cancelled after its entry was put away leaves nothing behind",
          "[actors][step_damage]") {
  session_fixture stage;
  stage.run(ask_one(2));
  stage.run(ask_one(2));
  REQUIRE(spoil(stage, document_stored) == 1);
  const auto id = stage.start(ask_one(2));
  stage.live->step();
  CHECK(quarantined(stage, quarantine_reason::damaged) == 1);
  stage.live->cancel(id);
  CHECK_FALSE(stage.live->step());
  CHECK(stage.in_flight() == 0);
  CHECK(quarantined_units(stage) == 0);
  stage.live->drop_cache();
  CHECK(stage.in_use() == 0);
}

TEST_CASE("a suspected entry in use is in quarantine until its user ends or is cancelled",
          "[actors][step_damage]") {
  for (const bool cancels : {false, true}) {
    session_fixture stage;
    const answer clean = stage.run(ask_one(2));
    const auto user = stage.start(ask_one(2));
    stage.live->step();
    const auto bad = stage.start(poisoned_question());
    while (!stage.live->take(bad)) stage.live->step();
    CHECK(quarantined(stage, quarantine_reason::suspected) == 2);
    CHECK(quarantined_units(stage) == 3 + 2 + 1);
    if (cancels)
      stage.live->cancel(user);
    else
      stage.finish_all();
    if (!cancels) CHECK(stage.take(user).last_logits == clean.last_logits);
    CHECK(quarantined_units(stage) == 0);
    CHECK(stage.in_use() == 0);
  }
}

TEST_CASE("an anchor gone bad is made anew under the request that needs it",
          "[actors][step_damage]") {
  session_options options;
  options.anchor = {text(50, 40)};
  session_fixture stage(options);
  const answer before = stage.run(ask_one(2));
  stage.live->drop_cache();
  stage.fake->last_used.clear();
  stage.run(ask_one(3));
  REQUIRE(spoil(stage, 40) == 1);
  const answer after = stage.run(ask_one(2));
  CHECK(after.last_logits == before.last_logits);
  CHECK(quarantined(stage, quarantine_reason::damaged) == 1);
  stage.live->drop_cache();
  stage.fake->bad_makes[40] = 2;
  stage.fake->last_used.clear();
  stage.run(ask_one(3));
  REQUIRE(spoil(stage, 40) == 1);
  CHECK(stage.refuse(ask_one(2)).message.find("the profile's anchor, key ") != std::string::npos);
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("weights that are no numbers break the session and are named ever after",
          "[actors][step_damage]") {
  for (const bool by_entry : {true, false}) {
    CAPTURE(by_entry);
    session_fixture stage(in_small_steps());
    stage.fake->weights_fault = broken("layer 3 of the weights holds NaN");
    if (by_entry) stage.fake->bad_makes[document_stored] = 2;
    const auto one = stage.start(by_entry ? ask_one(2) : poisoned_question());
    const auto two = stage.start(ask({text(1, lead_stored), text(3, 900), text(6, 12)}));
    stage.finish_all();
    const auto first = stage.live->take(one);
    REQUIRE((first.has_value() && !first->ok()));
    if (by_entry)
      check_names_document(first->error());
    else
      CHECK(first->error().message == "the logits are not finite");
    const auto second = stage.live->take(two);
    REQUIRE((second.has_value() && !second->ok()));
    CHECK(second->error().message == "layer 3 of the weights holds NaN");
    CHECK(stage.refuse(ask_one(4)).message == "layer 3 of the weights holds NaN");
    CHECK(stage.refuse(ask_one(4)).kind == failure_kind::broken);
    CHECK(stage.fake->weight_checks == 1);
    CHECK(stage.in_flight() == 0);
  }
}

TEST_CASE("logits that are no numbers under whole weights fail their request alone",
          "[actors][step_damage]") {
  session_fixture stage;
  CHECK(stage.refuse(poisoned_question()).message == "the logits are not finite");
  CHECK(stage.fake->weight_checks == 1);
  CHECK(verdicts(stage.run(ask_one(2))) == "ccx");
}

TEST_CASE("pools add up and answers hold whatever memory goes bad", "[actors][step_damage]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::map<std::int64_t, answer> clean;
  for (std::int64_t document = 2; document < 6; ++document)
    clean[document] = session_fixture().run(ask_one(document));
  for (int round = 0; round < 20; ++round) {
    session_fixture stage(in_small_steps(),
                          random() % 2 == 0 ? fake_options{26, 14, 8} : fake_options{});
    std::map<std::uint64_t, std::int64_t> live;
    int answered = 0;
    const auto taken = [&](const auto& each) {
      auto done = stage.live->take(each.first);
      if (!done) return false;
      if (done->ok()) {
        CHECK((*done)->tokens == clean[each.second].tokens);
        CHECK((*done)->last_logits == clean[each.second].last_logits);
        ++answered;
      } else {
        CHECK(done->error().message.find("twice in a row") != std::string::npos);
      }
      return true;
    };
    for (int act = 0; act < 150; ++act) {
      const auto what = random() % 12;
      if (what < 3) {
        const auto document = static_cast<std::int64_t>(2 + random() % 4);
        request asked = ask_one(document);
        asked.use_cache = random() % 5 != 0;
        if (const auto id = stage.live->start(asked); id.ok()) live[*id] = document;
      } else if (what == 3 && !live.empty()) {
        stage.live->cancel(live.begin()->first);
        live.erase(live.begin());
      } else if (what == 4) {
        spoil(stage, random() % 2 == 0 ? document_stored : lead_stored);
      } else if (what == 5) {
        stage.fake->bad_makes[document_stored] = 1;
      } else {
        stage.live->step();
      }
      stage.in_flight();  // Checks that each pool sums to its total.
      std::erase_if(live, taken);
    }
    stage.finish_all();
    std::erase_if(live, taken);
    CHECK(live.empty());
    CHECK(answered > 0);
    CHECK(stage.in_flight() == 0);
    CHECK(quarantined_units(stage) == 0);
    stage.live->drop_cache();
    CHECK(stage.in_use() == 0);
  }
}

}  // namespace weft::actors
