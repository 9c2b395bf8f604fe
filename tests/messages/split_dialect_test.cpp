#include "messages/prompt/split_dialect.hpp"

#include <catch2/catch.hpp>

namespace weft::messages {

TEST_CASE("what both engines read alike is left alone", "[messages][split_dialect]") {
  for (const char* regex : {R"((?i:'s|'t)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}{1,3})",
                            R"(\p{L}++|a?+|\\|\x{3040}|(?=x)(?!y)(?<=z)|[\[\]])", "a|^b$"}) {
    const auto translated = translate_split_regex(regex);
    REQUIRE(translated.ok());
    CHECK(*translated == regex);
  }
}

TEST_CASE("white space is spelt out inside classes and outside", "[messages][split_dialect]") {
  const auto outside = translate_split_regex(R"(\s+(?!\S))");
  REQUIRE(outside.ok());
  CHECK(outside->starts_with(R"([\x{9}-\x{d}\x{20})"));
  CHECK(outside->find(R"((?![\x{0}-\x{8})") != std::string::npos);
  const auto inside = translate_split_regex(R"([^\s\p{L}])");
  REQUIRE(inside.ok());
  CHECK(inside->starts_with(R"([^\x{9}-\x{d})"));
  CHECK(inside->ends_with(R"(\x{3000}\p{L}])"));
}

TEST_CASE("what the engines read differently is refused with its place",
          "[messages][split_dialect]") {
  const std::pair<const char*, const char*> cases[] = {
      {R"(a|\w+)", "the escape \\w at byte 2"},
      {R"([\h])", "the escape \\h at byte 1"},
      {R"([a-z&&[^b]])", "an intersection of classes at byte 4"},
      {R"([a[b]])", "a class inside a class at byte 2"},
      {R"((*UTF)a)", "a verb at byte 0"},
      {R"([]a])", "an empty class at byte 0"},
      {R"(a{1,3}+)", "a possessive interval at byte 5"},
      {R"((?m:a.b))", "options other than i and x at byte 0"}};
  for (const auto& [regex, wanted] : cases) {
    const auto translated = translate_split_regex(regex);
    INFO(regex);
    REQUIRE_FALSE(translated.ok());
    CHECK(translated.error().message.find(wanted) != std::string::npos);
  }
}

TEST_CASE("a pattern that ends inside an escape or a class is translated or refused, not read past",
          "[messages][split_dialect]") {
  for (const char* regex : {"\\", "[", "[^", "[a\\", "\\p{", "\\x{12", "(?", "(?i", "(?i:"}) {
    const auto translated = translate_split_regex(regex);
    INFO(regex);
    if (translated.ok()) CHECK(*translated == regex);
  }
}

}  // namespace weft::messages
