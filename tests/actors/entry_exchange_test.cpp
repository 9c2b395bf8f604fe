// Entries that come from another session: requests wait for them, use them, or make them after all.
#include "actors/session/entry_exchange.hpp"

#include <catch2/catch.hpp>

#include "tests/actors/session_fixture.hpp"

namespace weft::actors {
namespace {

request ask_one(std::int64_t document) {
  return ask({text(1, 30), text(document, 100), text(6, 12)});
}

entry_order document_of(std::int64_t name) {
  return {
      .tokens = text(name, 100), .cut = {.head_tokens = 8, .tail_tokens = 16}, .anchored = true};
}

entry_order lead() { return {.tokens = text(1, 30), .kind = gpu::entry_kind::checkpoint}; }

messages::entry_key key_of(session_fixture& stage, const entry_order& order) {
  return stage.live->exchange().wanted_by(order).value().key;
}

std::vector<std::byte> record_of(session_fixture& from, const entry_order& order,
                                 std::int64_t layer) {
  const auto entry = from.live->exchange().lend(key_of(from, order));
  REQUIRE(entry != nullptr);
  std::vector<std::byte> record(
      static_cast<std::size_t>(from.fake->layer_bytes_max(*entry, layer)));
  record.resize(static_cast<std::size_t>(from.fake->read_layer(*entry, layer, record)));
  return record;
}

// Where an entry is, and where it is expected.
struct exchange_stage {
  session_fixture maker;
  session_fixture user;
  std::int64_t layers = 3;

  explicit exchange_stage(session_options options = {}) : maker(options), user(options) {
    expected = maker.run(ask_one(2));
  }
  std::uint64_t expect(const entry_order& order, bool warm = true) {
    const std::uint64_t id = user.live->next_id();
    const auto taken = user.live->exchange().expect(id, order, {.worker = "w7", .warm = warm});
    REQUIRE(taken.ok());
    CHECK(*taken);
    return id;
  }
  void deliver(std::uint64_t id, const entry_order& order) {
    for (std::int64_t layer = 0; layer < layers; ++layer) {
      const auto last = user.live->exchange().deliver(id, layer, record_of(maker, order, layer));
      if (!last.ok()) FAIL(last.error().message);
      CHECK(*last == (layer + 1 == layers));
    }
  }

  answer expected;
};

}  // namespace

TEST_CASE("an entry from another session is used like one made here", "[actors][entry_exchange]") {
  session_options options;
  SECTION("alone") {}
  SECTION("behind an anchor") { options.anchor = {text(7, 20), text(8, 9)}; }
  exchange_stage stage(options);
  const std::uint64_t arrival = stage.expect(document_of(2));
  const std::uint64_t id = stage.user.start(ask_one(2));
  stage.user.finish_all();
  CHECK_FALSE(stage.user.live->take(id).has_value());
  CHECK(stage.user.live->exchange().awaited() == 1);
  stage.deliver(arrival, document_of(2));
  stage.user.finish_all();
  const answer answered = stage.user.take(id);
  CHECK(answered.last_logits == stage.expected.last_logits);
  CHECK(answered.tokens == stage.expected.tokens);
  CHECK(stage.user.fake->isolated_rows == 0);
  CHECK(verdicts(answered) == "cwx");
  CHECK(answered.receipts[1].worker == "w7");
  CHECK(answered.receipts[1].bytes_moved == 8 * (3 + 76 + 2));
  CHECK(answered.reused_tokens == 76);
  CHECK(stage.user.in_flight() == 0);
  // From now on it is an entry of this session.
  const answer again = stage.user.run(ask_one(2));
  CHECK(verdicts(again) == "wwx");
  CHECK(again.receipts[1].worker.empty());
  CHECK(again.last_logits == stage.expected.last_logits);
}

TEST_CASE("a lead from another session is taken up", "[actors][entry_exchange]") {
  exchange_stage stage;
  stage.deliver(stage.expect(lead()), lead());
  const answer answered = stage.user.run(ask_one(2));
  CHECK(verdicts(answered) == "wcx");
  CHECK(answered.last_logits == stage.expected.last_logits);
}

TEST_CASE("an entry made elsewhere for the request counts as cold", "[actors][entry_exchange]") {
  exchange_stage stage;
  const std::uint64_t arrival = stage.expect(document_of(2), false);
  const std::uint64_t id = stage.user.start(ask_one(2));
  stage.user.finish_all();
  stage.deliver(arrival, document_of(2));
  stage.user.finish_all();
  const answer answered = stage.user.take(id);
  CHECK(verdicts(answered) == "ccx");
  CHECK(answered.receipts[1].worker == "w7");
  CHECK(answered.reused_tokens == 0);
}

TEST_CASE("an entry that does not come is made by who waits for it", "[actors][entry_exchange]") {
  exchange_stage stage;
  const std::uint64_t arrival = stage.expect(document_of(2));
  const std::uint64_t id = stage.user.start(ask_one(2));
  stage.user.finish_all();
  const auto some =
      stage.user.live->exchange().deliver(arrival, 0, record_of(stage.maker, document_of(2), 0));
  REQUIRE(some.ok());
  stage.user.live->exchange().give_up(arrival);
  stage.user.finish_all();
  const answer answered = stage.user.take(id);
  CHECK(answered.last_logits == stage.expected.last_logits);
  CHECK(verdicts(answered) == "ccx");
  CHECK(answered.receipts[1].worker.empty());
  CHECK(stage.user.fake->isolated_rows == 84);
  CHECK(stage.user.in_flight() == 0);
  // Late records change nothing.
  const auto late =
      stage.user.live->exchange().deliver(arrival, 1, record_of(stage.maker, document_of(2), 1));
  REQUIRE_FALSE(late.ok());
  CHECK(late.error().kind == failure_kind::cancelled);
  CHECK(stage.user.run(ask_one(2)).last_logits == stage.expected.last_logits);
}

TEST_CASE("an arrival that nobody waits for gives its room back", "[actors][entry_exchange]") {
  exchange_stage stage;
  const std::uint64_t arrival = stage.expect(document_of(2));
  CHECK(stage.user.in_flight() > 0);
  stage.user.live->exchange().give_up(arrival);
  stage.user.live->exchange().give_up(arrival);
  CHECK(stage.user.in_use() == 0);
}

TEST_CASE("other requests run while one waits for an arrival", "[actors][entry_exchange]") {
  exchange_stage stage;
  const std::uint64_t arrival = stage.expect(document_of(2));
  const std::uint64_t waits = stage.user.start(ask_one(2));
  const std::uint64_t runs = stage.user.start(ask_one(3));
  stage.user.finish_all();
  CHECK_FALSE(stage.user.live->take(waits).has_value());
  CHECK(verdicts(stage.user.take(runs)) == "ccx");
  SECTION("and the waiting one can be cancelled") {
    stage.user.live->cancel(waits);
    stage.user.finish_all();
    stage.deliver(arrival, document_of(2));
    CHECK(stage.user.in_flight() == 0);
    CHECK(verdicts(stage.user.run(ask_one(2))) == "wwx");
  }
  SECTION("and goes on when the entry is there") {
    stage.deliver(arrival, document_of(2));
    stage.user.finish_all();
    CHECK(stage.user.take(waits).last_logits == stage.expected.last_logits);
  }
}

TEST_CASE("records are taken in order and only whole", "[actors][entry_exchange]") {
  exchange_stage stage;
  entry_exchange& exchange = stage.user.live->exchange();
  const std::uint64_t arrival = stage.expect(document_of(2));
  const auto refused = [&](std::int64_t layer, std::vector<std::byte> record) {
    const auto taken = exchange.deliver(arrival, layer, record);
    REQUIRE_FALSE(taken.ok());
    CHECK(taken.error().kind == failure_kind::rejected);
  };
  refused(1, record_of(stage.maker, document_of(2), 1));
  refused(-1, record_of(stage.maker, document_of(2), 1));
  refused(0, record_of(stage.maker, document_of(2), 1));
  refused(0, {});
  stage.deliver(arrival, document_of(2));
  const auto twice = exchange.deliver(arrival, 2, record_of(stage.maker, document_of(2), 2));
  REQUIRE_FALSE(twice.ok());
  CHECK(twice.error().kind == failure_kind::cancelled);
}

TEST_CASE("what is here, under way or expected need not be sent", "[actors][entry_exchange]") {
  exchange_stage stage;
  const auto needed = [&](session_fixture& at, const entry_order& order) {
    const auto taken = at.live->exchange().expect(at.live->next_id(), order, {});
    REQUIRE(taken.ok());
    return *taken;
  };
  CHECK_FALSE(needed(stage.maker, document_of(2)));
  const std::uint64_t arrival = stage.expect(document_of(2));
  CHECK_FALSE(needed(stage.user, document_of(2)));
  stage.user.live->exchange().give_up(arrival);
  CHECK(needed(stage.user, document_of(2)));
}

TEST_CASE("an expected entry that finds no room takes none", "[actors][entry_exchange]") {
  fake_options pools;
  pools.transition_slots = 1;
  session_fixture user({}, pools);
  const std::uint64_t first = user.live->next_id();
  REQUIRE(user.live->exchange().expect(first, document_of(2), {}).ok());
  const std::int64_t held = user.in_use();
  const auto second = user.live->exchange().expect(user.live->next_id(), document_of(3), {});
  REQUIRE_FALSE(second.ok());
  CHECK(second.error().kind == failure_kind::overloaded);
  CHECK(user.in_use() == held);
  user.live->exchange().give_up(first);
  CHECK(user.live->exchange().expect(user.live->next_id(), document_of(3), {}).ok());
}

TEST_CASE("orders that have no entry are refused by name", "[actors][entry_exchange]") {
  session_fixture user;
  entry_order order = document_of(2);
  order.tokens.resize(24);
  CHECK(user.live->exchange().wanted_by(order).error().message.find("24 tokens") !=
        std::string::npos);
  order = document_of(2);
  order.cut.head_tokens = 1;
  CHECK_FALSE(user.live->exchange().wanted_by(order).ok());
  order = lead();
  order.tokens.clear();
  CHECK_FALSE(user.live->exchange().wanted_by(order).ok());
}

TEST_CASE("a lent entry stays readable after it was evicted", "[actors][entry_exchange]") {
  exchange_stage stage;
  const messages::entry_key key = key_of(stage.maker, document_of(2));
  {
    const auto lent = stage.maker.live->exchange().lend(key);
    REQUIRE(lent != nullptr);
    stage.maker.live->drop_cache();
    CHECK(stage.maker.live->exchange().lend(key) == nullptr);
    CHECK(stage.maker.in_use() > 0);
  }
  CHECK(stage.maker.in_use() == 0);
}

}  // namespace weft::actors
