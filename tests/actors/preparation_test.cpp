// Entries made ahead, for later requests or for other sessions.
#include <catch2/catch.hpp>

#include "gpu/checkpoint/random_weights.hpp"
#include "tests/actors/session_fixture.hpp"

namespace weft::actors {
namespace {

constexpr seam cut{.head_tokens = 8, .tail_tokens = 16};

preparation of_documents(std::vector<token_ids> documents) {
  return {.documents = std::move(documents), .cut = cut, .anchored = true};
}

std::uint64_t prepare(session_fixture& stage, preparation wanted, layer_listener heard = {}) {
  const auto id = stage.live->prepare(std::move(wanted), std::move(heard));
  if (!id.ok()) FAIL(id.error().message);
  return *id;
}

struct heard_layers {
  std::vector<made_layers> all;
  layer_listener listener() {
    return [this](const made_layers& one) { all.push_back(one); };
  }
  std::vector<std::int64_t> counts() const {
    std::vector<std::int64_t> counts;
    for (const made_layers& one : all) counts.push_back(one.layers);
    return counts;
  }
};

gpu::model_shape small_shape() {
  using enum gpu::layer_kind;
  return {.architecture = "qwen3_5_text",
          .vocabulary = 97,
          .hidden = 48,
          .intermediate = 80,
          .layers = {linear, attention, linear},
          .feeds = {},
          .attention = {.heads = 6, .key_value_heads = 2, .head_dim = 32, .rotary_dim = 8},
          .linear = {.key_heads = 3, .value_heads = 9, .key_dim = 16, .value_dim = 24},
          .sparse = {},
          .norm_epsilon = 1e-6,
          .positions_max = 4096,
          .end_tokens = {}};
}

std::unique_ptr<session> small_session(const std::vector<token_ids>& anchor) {
  auto weights = gpu::random_weights(small_shape(), 5);
  REQUIRE(weights.ok());
  session_options options;
  options.engine.threads = 2;
  options.engine.page_bytes_max = options.engine.slot_bytes_max = 8 << 20;
  options.anchor = anchor;
  auto made = session::make(std::move(*weights), options);
  if (!made.ok()) FAIL(made.error().message);
  return std::move(made).value();
}

}  // namespace

TEST_CASE("a preparation makes entries and nothing else", "[actors][preparation]") {
  session_fixture stage;
  const auto id = prepare(stage, of_documents({text(2, 100), text(4, 70)}));
  stage.finish_all();
  const answer made = stage.take(id);
  CHECK(verdicts(made) == "cc");
  CHECK(made.tokens.empty());
  CHECK(made.receipts[1].tokens == 70);
  CHECK(made.reused_tokens == 0);
  CHECK(stage.fake->isolated_rows == 84 + 54);
  CHECK(stage.fake->rows == 84 + 54);
  CHECK(stage.in_flight() == 0);
  CHECK(verdicts(stage.run(ask_documents())) == "cwxwxx");
}

TEST_CASE("its listener hears each layer once, in order", "[actors][preparation]") {
  session_fixture stage;
  heard_layers heard;
  prepare(stage, of_documents({text(2, 100)}), heard.listener());
  stage.finish_all();
  CHECK(heard.counts() == std::vector<std::int64_t>{1, 2, 3});
  CHECK(stage.fake->pieces == 3);
  for (const made_layers& one : heard.all) {
    REQUIRE(one.entry != nullptr);
    CHECK(one.entry->tokens == 76);
  }
  SECTION("and of what is there already all at once") {
    heard_layers again;
    const auto id = prepare(stage, of_documents({text(2, 100)}), again.listener());
    stage.finish_all();
    CHECK(again.counts() == std::vector<std::int64_t>{3});
    CHECK(verdicts(stage.take(id)) == "w");
    CHECK(stage.fake->isolated_rows == 84);
  }
}

TEST_CASE("of a segment that takes several steps no layer is final before the last",
          "[actors][preparation]") {
  session_options options;
  options.step_tokens_max = 64;
  session_fixture stage(options);
  heard_layers heard;
  prepare(stage, of_documents({text(2, 200)}), heard.listener());
  while (stage.fake->isolated_rows + 64 < 184) {
    REQUIRE(stage.live->step());
    CHECK(heard.all.empty());
  }
  stage.finish_all();
  CHECK(heard.counts() == std::vector<std::int64_t>{1, 2, 3});
}

TEST_CASE("two preparations of one document make it once", "[actors][preparation]") {
  session_options options;
  options.step_tokens_max = 64;
  session_fixture stage(options);
  heard_layers second;
  const auto one = prepare(stage, of_documents({text(2, 100)}));
  stage.live->step();
  const auto two = prepare(stage, of_documents({text(2, 100)}), second.listener());
  stage.finish_all();
  CHECK(stage.fake->isolated_rows == 84);
  CHECK(verdicts(stage.take(one)) == "c");
  CHECK(verdicts(stage.take(two)) == "c");
  CHECK(second.counts() == std::vector<std::int64_t>{3});
}

TEST_CASE("a cancelled preparation gives everything back, and its waiters go on",
          "[actors][preparation]") {
  session_options options;
  options.step_tokens_max = 64;
  session_fixture stage(options);
  const auto id = prepare(stage, of_documents({text(2, 100), text(3, 100)}));
  stage.live->step();
  const auto waits = stage.start(ask({text(1, 30), text(2, 100), text(6, 12)}));
  stage.live->step();
  stage.live->cancel(id);
  stage.finish_all();
  session_fixture fresh;
  CHECK(stage.take(waits).last_logits ==
        fresh.run(ask({text(1, 30), text(2, 100), text(6, 12)})).last_logits);
  CHECK(stage.in_flight() == 0);
}

TEST_CASE("an entry that comes out wrong is prepared anew, and told anew",
          "[actors][preparation]") {
  session_fixture stage;
  stage.fake->bad_makes[76] = 1;
  heard_layers heard;
  const auto id = prepare(stage, of_documents({text(2, 100)}), heard.listener());
  stage.finish_all();
  CHECK(verdicts(stage.take(id)) == "c");
  CHECK(heard.counts() == std::vector<std::int64_t>{1, 2, 1, 2, 3});
}

TEST_CASE("preparations that make no sense are refused by name", "[actors][preparation]") {
  session_fixture stage;
  const auto complaint = [&](preparation wanted) {
    const auto id = stage.live->prepare(std::move(wanted), {});
    REQUIRE_FALSE(id.ok());
    CHECK(id.error().kind == failure_kind::rejected);
    return id.error().message;
  };
  CHECK(complaint(of_documents({})).find("one document") != std::string::npos);
  CHECK(complaint(of_documents({text(2, 24)})).find("24 tokens") != std::string::npos);
  CHECK(complaint(of_documents({token_ids(100, 1000)})).find("vocabulary") != std::string::npos);
  CHECK(complaint(of_documents({text(2, 5000)})).find("positions") != std::string::npos);
}

TEST_CASE("one session follows the layers of another, bit for bit", "[actors][preparation]") {
  std::vector<token_ids> anchor;
  SECTION("alone") {}
  SECTION("behind an anchor") { anchor = {text(7, 20)}; }
  const request asked = ask({text(1, 30), text(2, 150), text(6, 12)});
  const auto alone = small_session(anchor);
  const auto expected = alone->run(asked);
  REQUIRE(expected.ok());

  const auto maker = small_session(anchor);
  const auto user = small_session(anchor);
  const std::uint64_t arrival = user->next_id();
  const entry_order order{.tokens = text(2, 150), .cut = cut, .anchored = true};
  REQUIRE(user->exchange().expect(arrival, order, {.worker = "maker"}).ok());
  const auto id = user->start(asked);
  REQUIRE(id.ok());
  while (user->step()) {
  }
  std::int64_t sent = 0;
  const auto send_on = [&](const made_layers& made) {
    for (; sent < made.layers; ++sent) {
      std::vector<std::byte> record(
          static_cast<std::size_t>(maker->engine().layer_bytes_max(*made.entry, sent)));
      record.resize(
          static_cast<std::size_t>(maker->engine().read_layer(*made.entry, sent, record)));
      const auto taken = user->exchange().deliver(arrival, sent, record);
      if (!taken.ok()) FAIL(taken.error().message);
    }
  };
  const auto making = maker->prepare(of_documents({text(2, 150)}), send_on);
  REQUIRE(making.ok());
  while (maker->step()) {
  }
  CHECK(sent == static_cast<std::int64_t>(maker->engine().shape().layers.size()));
  while (user->step()) {
  }
  const auto answered = user->take(*id);
  REQUIRE(answered.has_value());
  REQUIRE(answered->ok());
  CHECK((*answered)->last_logits == expected->last_logits);
  CHECK((*answered)->tokens == expected->tokens);
  CHECK((*answered)->receipts[1].worker == "maker");
}

}  // namespace weft::actors
