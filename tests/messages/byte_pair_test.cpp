#include "messages/prompt/byte_pair.hpp"

#include <string>

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

namespace {

// Tokens 0 to 255 are bytes; above are merges, in the order of their ranks.
struct model {
  std::array<token_id, 256> initial{};
  merge_table merges{1000};
  std::int32_t ranks = 0;

  model() {
    for (std::size_t byte = 0; byte < 256; ++byte) initial[byte] = static_cast<token_id>(byte);
  }
  token_id add(token_id left, token_id right) {
    merges.set(left, right, {ranks, 256 + ranks});
    return 256 + ranks++;
  }
};

// The plainest form of the rule, to judge by: merge the lowest rank, leftmost, until nothing
// merges.
token_ids merged_plainly(const model& by, token_ids ids) {
  while (true) {
    std::size_t best = ids.size();
    for (std::size_t i = 0; i + 1 < ids.size(); ++i) {
      const merge here = by.merges.find(ids[i], ids[i + 1]);
      if (!here.exists()) continue;
      if (best == ids.size() || here.rank < by.merges.find(ids[best], ids[best + 1]).rank) best = i;
    }
    if (best == ids.size()) return ids;
    ids[best] = by.merges.find(ids[best], ids[best + 1]).into;
    ids.erase(ids.begin() + static_cast<std::ptrdiff_t>(best) + 1);
  }
}

}  // namespace

TEST_CASE("the lowest rank merges first and the leftmost of equals", "[messages][byte_pair]") {
  model by;
  const token_id bc = by.add('b', 'c');
  const token_id ab = by.add('a', 'b');
  const token_id aa = by.add('a', 'a');
  const byte_pair merging(by.initial, by.merges);
  token_ids ids;
  REQUIRE(merging.encode("abc", ids).ok());
  CHECK(ids == token_ids{'a', bc});
  ids.clear();
  REQUIRE(merging.encode("aaab", ids).ok());
  CHECK(ids == token_ids{aa, ab});  // "ab" has the lower rank, then "aa" is left
}

TEST_CASE("words of random models merge as by the plainest form of the rule",
          "[messages][byte_pair]") {
  auto random = test::seeded(11);
  for (int round = 0; round < 300; ++round) {
    model by;
    token_ids known = {'a', 'b', 'c'};
    for (int i = 0; i < 12; ++i) {
      const token_id left = known[random() % known.size()];
      const token_id right = known[random() % known.size()];
      if (!by.merges.find(left, right).exists()) known.push_back(by.add(left, right));
    }
    std::string word;
    for (std::size_t i = random() % 60; i > 0; --i) word.push_back("abc"[random() % 3]);
    token_ids ids;
    REQUIRE(byte_pair(by.initial, by.merges).encode(word, ids).ok());
    REQUIRE(ids == merged_plainly(by, token_ids(word.begin(), word.end())));
  }
}

TEST_CASE("a byte without a token is named", "[messages][byte_pair]") {
  model by;
  by.initial['q'] = -1;
  token_ids ids;
  const status done = byte_pair(by.initial, by.merges).encode("aqa", ids);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().message.find("byte 113") != std::string::npos);
}

TEST_CASE("a megabyte without a break merges in time that grows with it, not with its square",
          "[messages][byte_pair]") {
  model by;
  token_id run = 'a';
  for (int i = 0; i < 10; ++i) run = by.add(run, run);
  token_ids ids;
  REQUIRE(byte_pair(by.initial, by.merges).encode(std::string(1 << 20, 'a'), ids).ok());
  CHECK(ids == token_ids(1 << 10, run));
}

}  // namespace weft::messages
