#include "messages/prompt/split_pattern.hpp"

#include <catch2/catch.hpp>

namespace weft::messages {

namespace {

using pieces = std::vector<std::string_view>;

pieces cut(std::string_view regex, std::string_view text) {
  const auto pattern = split_pattern::make(regex);
  REQUIRE(pattern.ok());
  pieces found;
  REQUIRE(pattern->cut(text, found).ok());
  return found;
}

}  // namespace

TEST_CASE("matches and gaps come out in order", "[messages][split_pattern]") {
  CHECK(cut("b+", "abbcbd") == pieces{"a", "bb", "c", "b", "d"});
  CHECK(cut("b", "") == pieces{});
  CHECK(cut("z", "abc") == pieces{"abc"});
}

TEST_CASE("empty matches cut and the search goes on", "[messages][split_pattern]") {
  CHECK(cut("x*", "a\xC3\xA9xxb") == pieces{"a", "\xC3\xA9", "xx", "b"});
  CHECK(cut("^|$", "a\nb") == pieces{"a", "\n", "b"});
}

TEST_CASE("GPT-2's pattern cuts contractions, words, numbers and spaces",
          "[messages][split_pattern]") {
  CHECK(cut(gpt2_split_regex, "I'll be  12 \xC3\xA9t\xC3\xA9!\n ") ==
        pieces{"I", "'ll", " be", " ", " 12", " \xC3\xA9t\xC3\xA9", "!", "\n "});
}

TEST_CASE("white space is Unicode's and not PCRE2's", "[messages][split_pattern]") {
  CHECK(cut(R"(\s+)",
            "a\xC2\x85\xE3\x80\x80"
            "b") == pieces{"a", "\xC2\x85\xE3\x80\x80", "b"});
  CHECK(cut(R"(\s+)",
            "a\xE1\xA0\x8E"
            "b") == pieces{"a\xE1\xA0\x8E"
                           "b"});  // U+180E
}

TEST_CASE("a broken pattern is refused with the reason", "[messages][split_pattern]") {
  for (const char* regex : {"(", "[a", "*a", "\\p{Nonsense}", ""}) {
    const auto pattern = split_pattern::make(regex);
    INFO(regex);
    REQUIRE_FALSE(pattern.ok());
    CHECK(pattern.error().kind == failure_kind::rejected);
    CHECK(pattern.error().message.find("regular expression") != std::string::npos);
  }
  CHECK_FALSE(split_pattern::make(std::string(5000, 'a')).ok());
}

TEST_CASE("a pattern that backtracks without end is stopped", "[messages][split_pattern]") {
  const auto pattern = split_pattern::make("(?:a+)+$(?<=b)|(?:a|aa)+c");
  REQUIRE(pattern.ok());
  pieces found;
  const status done = pattern->cut(std::string(200, 'a'), found);
  REQUIRE_FALSE(done.ok());
  CHECK(done.error().kind == failure_kind::rejected);
  CHECK(done.error().message.find("gives up at byte 0") != std::string::npos);
}

TEST_CASE("megabytes of spaces, letters or marks are cut without a limit met",
          "[messages][split_pattern]") {
  const char* qwen = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|)"
                     R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  const std::string spaces(1'000'000, ' ');
  CHECK(cut(qwen, spaces + "x").size() == 2);
  CHECK(cut(qwen, std::string(1'000'000, 'x')).size() == 1);
  std::string marks;
  for (int i = 0; i < 300'000; ++i) marks += "\xE3\x80\x80";
  CHECK(cut(qwen, marks + "!").size() == 3);
}

}  // namespace weft::messages
