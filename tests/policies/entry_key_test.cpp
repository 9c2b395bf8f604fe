#include "policies/vocabulary/entry_key.hpp"

#include <unordered_set>

#include <catch2/catch.hpp>

namespace weft {

TEST_CASE("a key is written with 64 digits and read back", "[policies][entry_key]") {
  entry_key key;
  for (std::size_t i = 0; i < key.bytes.size(); ++i) key.bytes[i] = static_cast<std::byte>(7 * i);
  CHECK(key.hex() == "00070e151c232a31383f464d545b626970777e858c939aa1a8afb6bdc4cbd2d9");
  CHECK(*parse_entry_key(key.hex()) == key);
  CHECK(*parse_entry_key("00070E151C232A31383F464D545B626970777E858C939AA1A8AFB6BDC4CBD2D9") ==
        key);
}

TEST_CASE("what is no key is rejected", "[policies][entry_key]") {
  const std::string good = entry_key{}.hex();
  for (const std::string& text : {std::string(), good.substr(1), good + "0"}) {
    const auto read = parse_entry_key(text);
    REQUIRE_FALSE(read.ok());
    CHECK(read.error().kind == failure_kind::rejected);
  }
  for (const std::size_t at : {0UL, 1UL, 31UL, 63UL}) {
    for (const char letter : {'g', '/', ':', '@', 'G', '`', ' ', '\0'}) {
      std::string text = good;
      text[at] = letter;
      const auto read = parse_entry_key(text);
      REQUIRE_FALSE(read.ok());
      CHECK(read.error().message.find("byte " + std::to_string(at) + " ") != std::string::npos);
    }
  }
}

TEST_CASE("keys that differ in one bit are two keys", "[policies][entry_key]") {
  const entry_key first = *parse_entry_key(std::string(64, '5'));
  std::unordered_set<entry_key> seen = {first};
  for (std::size_t bit = 0; bit < 256; ++bit) {
    entry_key other = first;
    other.bytes[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    CHECK(seen.insert(other).second);
    CHECK((other < first) != (first < other));
  }
}

}  // namespace weft
