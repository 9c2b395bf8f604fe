#include "policies/vocabulary/entry_key.hpp"

#include <unordered_set>

#include <catch2/catch.hpp>

namespace weft {

namespace {

entry_key counting() {
  entry_key key;
  for (std::size_t i = 0; i < key.bytes.size(); ++i) key.bytes[i] = static_cast<std::byte>(8 * i);
  return key;
}

}  // namespace

TEST_CASE("a key's digits are read back in either case, and nothing else is",
          "[policies][entry_key]") {
  const std::string digits = "0008101820283038404850586068707880889098a0a8b0b8c0c8d0d8e0e8f0f8";
  REQUIRE(counting().hex() == digits);
  REQUIRE(parse_entry_key(digits).ok());
  CHECK(*parse_entry_key(digits) == counting());
  CHECK(*parse_entry_key("0008101820283038404850586068707880889098A0A8B0B8C0C8D0D8E0E8F0F8") ==
        counting());
  for (std::string bad : {std::string(), digits + "0", digits.substr(1), digits.substr(2) + "0g"}) {
    INFO(bad);
    const auto refused = parse_entry_key(bad);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == failure_kind::rejected);
  }
}

TEST_CASE("keys that differ in one bit are two keys", "[policies][entry_key]") {
  std::unordered_set<entry_key> seen = {counting()};
  for (std::size_t i = 0; i < 256; ++i) {
    entry_key other = counting();
    other.bytes[i / 8] ^= static_cast<std::byte>(1U << (i % 8));
    CHECK(seen.insert(other).second);
  }
}

}  // namespace weft
