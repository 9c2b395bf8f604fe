#include "gpu/comm/offer_board.hpp"

#include <random>
#include <thread>

#include <catch2/catch.hpp>

#include "tests/gpu/comm_twins.hpp"

namespace weft::gpu::comm {
namespace {

using namespace std::chrono_literals;
const time_point start{};
const transfer_id transfer{{{1}, 2}, 3, {4}};

offer any_offer(time_point deadline = start + 10s) {
  return {*draw_ticket(), transfer, std::make_shared<growing_source>(random_layers({5}, 1)), "",
          deadline};
}

std::optional<refusal_reason> why_not(const offer_board::claim_answer& answer) {
  if (!answer.why_not) return std::nullopt;
  return answer.why_not->reason;
}

}  // namespace

TEST_CASE("an offer is pulled by its ticket, transfer and peer only", "[gpu][comm][offer_board]") {
  offer_board board;
  auto one = any_offer();
  one.peer = "combine-1";
  REQUIRE(board.post(one, start).ok());
  CHECK(why_not(board.claim({*draw_ticket(), transfer, "combine-1", {}}, start)) ==
        refusal_reason::unknown_ticket);
  CHECK(why_not(board.claim({one.key, {1, 2, 3, 5}, "combine-1", {}}, start)) ==
        refusal_reason::wrong_transfer);
  CHECK(why_not(board.claim({one.key, transfer, "combine-2", {}}, start)) ==
        refusal_reason::wrong_peer);
  CHECK(why_not(board.claim({one.key, transfer, "", {}}, start)) == refusal_reason::wrong_peer);
  const auto good = board.claim({one.key, transfer, "combine-1", {}}, start);
  REQUIRE_FALSE(good.why_not);
  CHECK(good.claim.source().layer_bytes(0) == 5);
  CHECK(board.counts().pulls == 1);
}

TEST_CASE("an offer that ran out is dropped, told, and remembered", "[gpu][comm][offer_board]") {
  std::vector<transfer_ticket> told;
  offer_board_options options;
  options.on_expired = [&](const offer& gone) { told.push_back(gone.key); };
  offer_board board(options);
  auto short_one = any_offer(start + 1s), long_one = any_offer(start + 2s);
  REQUIRE(board.post(short_one, start).ok());
  REQUIRE(board.post(long_one, start).ok());
  CHECK(board.expire(start + 999ms) == 0);
  CHECK(board.expire(start + 1s) == 1);
  CHECK(told == std::vector{short_one.key});
  CHECK(why_not(board.claim({short_one.key, transfer, "", {}}, start + 1s)) ==
        refusal_reason::expired);
  CHECK_FALSE(board.renew(short_one.key, start + 9s, start + 1s).ok());
  // Between two sweeps too.
  CHECK(why_not(board.claim({long_one.key, transfer, "", {}}, start + 2s)) ==
        refusal_reason::expired);
}

TEST_CASE("a renewed offer lives to its new deadline", "[gpu][comm][offer_board]") {
  offer_board board;
  const auto one = any_offer(start + 1s);
  REQUIRE(board.post(one, start).ok());
  REQUIRE(board.renew(one.key, start + 5s, start).ok());
  CHECK(board.expire(start + 4s) == 0);
  CHECK_FALSE(board.renew(one.key, start + 9s, start + 5s).ok());
  CHECK(board.expire(start + 5s) == 1);
}

TEST_CASE("whoever pulls is woken by growth, withdrawal and expiry, and keeps the source",
          "[gpu][comm][offer_board]") {
  offer_board board;
  auto one = any_offer();
  const std::weak_ptr<const layer_source> source = one.source;
  REQUIRE(board.post(one, start).ok());
  one.source.reset();
  int woken = 0;
  {
    auto answer = board.claim({one.key, transfer, "", [&] { ++woken; }}, start);
    board.advanced(one.key);
    CHECK(woken == 1);
    CHECK_FALSE(answer.claim.ended());
    SECTION("withdrawn") {
      CHECK(board.withdraw(one.key));
      CHECK(answer.claim.ended()->reason == refusal_reason::withdrawn);
      CHECK_FALSE(board.withdraw(one.key));
    }
    SECTION("expired") {
      board.expire(start + 10s);
      CHECK(answer.claim.ended()->reason == refusal_reason::expired);
    }
    CHECK(woken == 2);
    CHECK_FALSE(source.expired());
  }
  CHECK(source.expired());
  CHECK(board.counts().pulls == 0);
}

TEST_CASE("offers and pulls of one offer are bounded", "[gpu][comm][offer_board]") {
  offer_board_options options;
  options.offers_max = 1;
  offer_board board(options);
  const auto one = any_offer();
  REQUIRE(board.post(one, start).ok());
  CHECK(board.post(any_offer(), start).error().kind == failure_kind::overloaded);
  const auto first = board.claim({one.key, transfer, "", {}}, start);
  {
    const auto second = board.claim({one.key, transfer, "", {}}, start);
    CHECK_FALSE(second.why_not);
    CHECK(why_not(board.claim({one.key, transfer, "", {}}, start)) == refusal_reason::busy);
  }
  CHECK_FALSE(board.claim({one.key, transfer, "", {}}, start).why_not);
}

TEST_CASE("a ticket is offered once, and what ended is remembered within bounds",
          "[gpu][comm][offer_board]") {
  offer_board_options options;
  options.remembered_max = 1;
  offer_board board(options);
  const auto one = any_offer(), other = any_offer();
  REQUIRE(board.post(one, start).ok());
  CHECK_FALSE(board.post(one, start).ok());
  board.withdraw(one.key);
  CHECK_FALSE(board.post(one, start).ok());
  REQUIRE(board.post(other, start).ok());
  board.withdraw(other.key);
  CHECK(why_not(board.claim({other.key, transfer, "", {}}, start)) == refusal_reason::withdrawn);
  CHECK(why_not(board.claim({one.key, transfer, "", {}}, start)) == refusal_reason::unknown_ticket);
}

TEST_CASE("counts add up through any posts, claims, withdrawals and expiries of four threads",
          "[gpu][comm][offer_board]") {
  offer_board board;
  const auto work = [&](unsigned seed) {
    std::mt19937 random(seed);
    std::vector<transfer_ticket> mine;
    std::vector<offer_board::claim_answer> claims;
    for (int round = 0; round < 500; ++round) {
      const auto now = start + std::chrono::milliseconds(round);
      const auto key = mine.empty() ? transfer_ticket() : mine[random() % mine.size()];
      switch (random() % 5) {
        case 0:
        case 1: {
          const auto one = any_offer(now + std::chrono::milliseconds(1 + random() % 200));
          if (board.post(one, now).ok()) mine.push_back(one.key);
          break;
        }
        case 2: claims.push_back(board.claim({key, transfer, "", [] {}}, now)); break;
        case 3: board.withdraw(key); break;
        default:
          board.expire(now);
          if (!claims.empty()) claims.pop_back();
          break;
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) threads.emplace_back(work, seed);
  for (auto& thread : threads) thread.join();
  auto counts = board.counts();
  CHECK(counts.made == counts.open + counts.withdrawn + counts.expired);
  CHECK(counts.pulls == 0);
  CHECK(counts.withdrawn > 0);
  board.expire(start + 1h);
  counts = board.counts();
  CHECK(counts.open == 0);
  CHECK(counts.made == counts.withdrawn + counts.expired);
}

}  // namespace weft::gpu::comm
