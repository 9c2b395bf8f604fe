#include "messages/prompt/byte_level.hpp"

#include <set>

#include <catch2/catch.hpp>

namespace weft::messages {

TEST_CASE("every byte has a symbol of its own and comes back from it", "[messages][byte_level]") {
  std::set<std::string_view> seen;
  for (int value = 0; value < 256; ++value) {
    const auto byte = static_cast<unsigned char>(value);
    const std::string_view symbol = byte_level_symbol(byte);
    CHECK(seen.insert(symbol).second);
    CHECK(byte_level_bytes(symbol) == std::string(1, static_cast<char>(byte)));
  }
}

TEST_CASE("the alphabet is GPT-2's", "[messages][byte_level]") {
  CHECK(byte_level_symbol('A') == "A");
  CHECK(byte_level_symbol(' ') == "\xC4\xA0");   // U+0120
  CHECK(byte_level_symbol('\n') == "\xC4\x8A");  // U+010A
  CHECK(byte_level_symbol(0) == "\xC4\x80");     // U+0100
  CHECK(byte_level_symbol(173) == "\xC5\x83");   // U+0143, the last of the spare ones
  CHECK(byte_level_symbol(255) == "\xC3\xBF");   // U+00FF
  CHECK(byte_level_symbols("a b") ==
        "a\xC4\xA0"
        "b");
}

TEST_CASE("text outside the alphabet stands for no bytes", "[messages][byte_level]") {
  CHECK_FALSE(byte_level_bytes("a b"));
  CHECK_FALSE(byte_level_bytes("\xE2\x82\xAC"));
  CHECK_FALSE(byte_level_bytes("\xFF"));
  CHECK(byte_level_bytes("") == "");
}

}  // namespace weft::messages
