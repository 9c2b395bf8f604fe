#include "messages/prompt/normalize.hpp"

#include <catch2/catch.hpp>
#include <utf8proc.h>

#include "tests/messages/fixture.hpp"

namespace weft::messages {

namespace {

std::string composed(std::string_view text) {
  std::string storage;
  const auto done = normalize_nfc(text, storage);
  REQUIRE(done.ok());
  return std::string(*done);
}

// The library on the whole text at once.
std::string composed_by_library(const std::string& text) {
  utf8proc_uint8_t* raw = utf8proc_NFC(reinterpret_cast<const utf8proc_uint8_t*>(text.c_str()));
  REQUIRE(raw != nullptr);
  std::string done = reinterpret_cast<const char*>(raw);
  std::free(raw);
  return done;
}

std::string utf8_of(std::int32_t code) {
  std::array<utf8proc_uint8_t, 4> bytes{};
  const auto length = utf8proc_encode_char(code, bytes.data());
  return {reinterpret_cast<const char*>(bytes.data()), static_cast<std::size_t>(length)};
}

}  // namespace

TEST_CASE("text in form C is not copied", "[messages][normalize]") {
  std::string storage;
  for (const std::string_view text :
       {"plain", "\xC3\xA9t\xC3\xA9", "\xE4\xB8\x80 \xED\x95\x9C \xF0\x9F\x98\x80", ""}) {
    const auto done = normalize_nfc(text, storage);
    REQUIRE(done.ok());
    CHECK(done->data() == text.data());
    CHECK(done->size() == text.size());
  }
}

TEST_CASE("marks join the character before them", "[messages][normalize]") {
  CHECK(composed("xe\xCC\x81y") == "x\xC3\xA9y");
  CHECK(composed("\xCC\x81"
                 "e") ==
        "\xCC\x81"
        "e");
  CHECK(composed("\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB") == "\xED\x95\x9C");  // conjoining Hangul
  CHECK(composed("\xEA\xB0\x80\xE1\x86\xA8") == "\xEA\xB0\x81");  // a syllable takes a final
  CHECK(composed("\xE2\x84\xAB") == "\xC3\x85");                  // the sign for angstrom
  CHECK(composed(std::string_view("a\0e\xCC\x81", 5)) == std::string("a\0\xC3\xA9", 4));
}

TEST_CASE("every character and every pair with a mark comes out as from the library",
          "[messages][normalize]") {
  for (std::int32_t code = 1; code < 0x30000; ++code) {
    if (code >= 0xD800 && code < 0xE000) continue;
    const std::string text = "a" + utf8_of(code) + "\xCC\x81 " + utf8_of(code);
    if (composed(text) != composed_by_library(text)) FAIL("U+" << std::hex << code);
  }
}

TEST_CASE("random text comes out as from the library", "[messages][normalize]") {
  auto random = test::seeded(17);
  const std::vector<std::pair<std::int32_t, std::int32_t>> ranges = {
      {0x20, 0x7F},     {0xC0, 0x250},    {0x300, 0x370},   {0x370, 0x600},  {0x900, 0xE00},
      {0x1100, 0x1200}, {0xAC00, 0xAC40}, {0x1E00, 0x2000}, {0xF900, 0xFB50}};
  for (int round = 0; round < 5000; ++round) {
    std::string text;
    for (std::size_t i = random() % 24; i > 0; --i) {
      const auto& [from, to] = ranges[random() % ranges.size()];
      text += utf8_of(from +
                      static_cast<std::int32_t>(random() % static_cast<std::uint64_t>(to - from)));
    }
    if (composed(text) != composed_by_library(text)) FAIL("round " << round << ": " << text);
  }
}

}  // namespace weft::messages
