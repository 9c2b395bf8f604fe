#include "policies/requests/told_tokens.hpp"

#include <catch2/catch.hpp>

#include "tests/policies/cluster_values.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

told_tokens three_told() {
  told_tokens told(5);
  REQUIRE(told.append(0, token_ids{7, 8, 9}).verdict == told_verdict::taken);
  return told;
}

}  // namespace

TEST_CASE("tokens are taken once, whatever is repeated", "[policies][told_tokens]") {
  struct row {
    std::uint64_t first_index;
    token_ids tokens;
    told_verdict verdict;
    std::size_t fresh;
  };
  const std::vector<row> table = {
      {3, {1}, told_verdict::taken, 1},         {3, {1, 2}, told_verdict::taken, 2},
      {2, {9, 1}, told_verdict::taken, 1},      {0, {7, 8}, told_verdict::taken, 0},
      {0, {}, told_verdict::taken, 0},          {3, {}, told_verdict::taken, 0},
      {4, {1}, told_verdict::gap, 0},           {~std::uint64_t{0}, {1}, told_verdict::gap, 0},
      {2, {5, 1}, told_verdict::differs, 0},    {0, {7, 8, 8}, told_verdict::differs, 0},
      {3, {1, 2, 3}, told_verdict::too_many, 0}};
  for (const row& each : table) {
    CAPTURE(each.first_index, each.tokens);
    told_tokens told = three_told();
    const told_outcome outcome = told.append(each.first_index, each.tokens);
    CHECK(outcome.verdict == each.verdict);
    CHECK(outcome.fresh == each.fresh);
    CHECK(told.all().size() == 3 + each.fresh);
  }
}

TEST_CASE("from whatever pieces, the client has each token once and in order",
          "[policies][told_tokens]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  token_ids answer(500);
  for (token_id& each : answer) each = static_cast<token_id>(below(random, 3));
  told_tokens told(answer.size());
  token_ids client;
  while (client.size() < answer.size()) {
    const std::size_t first = below(random, static_cast<unsigned>(client.size()) + 3);
    const std::size_t begin = std::min(first, answer.size());
    const std::size_t count = std::min<std::size_t>(below(random, 20), answer.size() - begin);
    const auto piece = std::span(answer).subspan(begin, count);
    const told_outcome outcome = told.append(first, piece);
    REQUIRE(outcome.verdict == (first > client.size() ? told_verdict::gap : told_verdict::taken));
    const auto fresh = piece.last(outcome.fresh);
    client.insert(client.end(), fresh.begin(), fresh.end());
    REQUIRE(client == told.all());
  }
  CHECK(client == answer);
}

}  // namespace weft
