#include "messages/prompt/utf8.hpp"

#include <catch2/catch.hpp>

namespace weft::messages {

namespace {

std::string repaired(std::string_view bytes) {
  std::string text;
  append_repaired(text, bytes);
  return text;
}

}  // namespace

TEST_CASE("valid UTF-8 of every length has no invalid byte", "[messages][utf8]") {
  CHECK_FALSE(first_invalid_utf8(""));
  CHECK_FALSE(first_invalid_utf8("plain text, longer than eight bytes"));
  CHECK_FALSE(first_invalid_utf8("a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80z"));
  CHECK_FALSE(first_invalid_utf8("\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF"));
}

TEST_CASE("the first bad byte is found where a character goes wrong", "[messages][utf8]") {
  CHECK(first_invalid_utf8("abc\xFF") == 3);
  CHECK(first_invalid_utf8("0123456789\x80") == 10);
  CHECK(first_invalid_utf8("\xC0\xAF") == 0);            // overlong
  CHECK(first_invalid_utf8("x\xED\xA0\x80") == 1);       // surrogate
  CHECK(first_invalid_utf8("xy\xF4\x90\x80\x80") == 2);  // above U+10FFFF
  CHECK(first_invalid_utf8("ab\xE2\x82") == 2);          // cut off
}

TEST_CASE("each maximal invalid part becomes one replacement character", "[messages][utf8]") {
  const std::string mark = "\xEF\xBF\xBD";
  CHECK(repaired("a\xFFz") == "a" + mark + "z");
  CHECK(repaired("\xE2\x82z") == mark + "z");
  CHECK(repaired("\xF0\x9F\x98") == mark);
  CHECK(repaired("\xED\xA0\x80") == mark + mark + mark);
  CHECK(repaired("\xC0\xAF") == mark + mark);
  // The example of the Unicode standard, table 3-8.
  CHECK(repaired("a\xF1\x80\x80\xE1\x80\xC2"
                 "b\x80"
                 "c\x80\xBF"
                 "d") == "a" + mark + mark + mark + "b" + mark + "c" + mark + mark + "d");
}

TEST_CASE("an incomplete character at the end is told from an invalid one", "[messages][utf8]") {
  CHECK(complete_utf8("ab\xE2\x82") == 2);
  CHECK(complete_utf8("ab\xF0\x9F\x98") == 2);
  CHECK(complete_utf8("\xC3") == 0);
  CHECK(complete_utf8("ab\xE2\x82\xAC") == 5);
  CHECK(complete_utf8("ab\xFF") == 3);
  CHECK(complete_utf8("\x80\x80\x80\x80") == 4);
  CHECK(complete_utf8("\xED\xA0") == 2);  // a surrogate's start, which nothing completes
  CHECK(complete_utf8("") == 0);
}

TEST_CASE("a quotation is short, on one line and valid", "[messages][utf8]") {
  CHECK(in_quotes("a\nb") == "'a b'");
  CHECK(in_quotes("\xFF") == "'\xEF\xBF\xBD'");
  const std::string cut = in_quotes(std::string(39, 'x') + "\xC3\xA9 and more");
  CHECK(cut == "'" + std::string(39, 'x') + "...'");
}

}  // namespace weft::messages
