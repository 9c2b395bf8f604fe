#include "messages/prompt/merge_table.hpp"

#include <map>

#include <catch2/catch.hpp>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

TEST_CASE("an empty table merges nothing", "[messages][merge_table]") {
  CHECK_FALSE(merge_table().find(0, 0).exists());
}

TEST_CASE("a full table finds what was set and nothing else", "[messages][merge_table]") {
  auto random = test::seeded(3);
  std::map<std::pair<token_id, token_id>, merge> known;
  merge_table merges(5000);
  for (std::int32_t rank = 0; rank < 5000; ++rank) {
    const auto left = static_cast<token_id>(random() % 100);
    const auto right = static_cast<token_id>(random() % 100);
    known[{left, right}] = {rank, left + right};
    merges.set(left, right, {rank, left + right});
  }
  for (token_id left = 0; left < 100; ++left) {
    for (token_id right = 0; right < 100; ++right) {
      const auto found = known.find({left, right});
      const merge what = merges.find(left, right);
      REQUIRE(what.exists() == (found != known.end()));
      if (what.exists()) REQUIRE(what.rank == found->second.rank);
    }
  }
}

}  // namespace weft::messages
