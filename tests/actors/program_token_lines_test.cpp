#include <catch2/catch.hpp>

#include "actors/program/token_lines.hpp"

using namespace weft;
using namespace weft::actors;

namespace {

template <class Value>
std::string refusal(const result<Value>& read) {
  return read ? "" : read.error().message;
}

}  // namespace

TEST_CASE("a line of text or ids gives what it holds", "[actors][token_lines]") {
  const auto text = text_of_line(R"({"text": "a\u00e9", "id": 7})");
  REQUIRE(text.ok());
  CHECK(*text == "a\xc3\xa9");
  const auto ids = ids_of_line(R"({"ids": [1, 0, 2047]})");
  REQUIRE(ids.ok());
  CHECK(*ids == token_ids{1, 0, 2047});
  const auto none = ids_of_line(R"({"ids": []})");
  REQUIRE(none.ok());
  CHECK(none->empty());
}

TEST_CASE("a scored line holds segments or lists of ids", "[actors][token_lines]") {
  const auto ids = scored_line_of(R"({"ids": [[1, 2], [3]]})");
  REQUIRE(ids.ok());
  CHECK(ids->has_ids);
  CHECK(ids->ids == std::vector<token_ids>{{1, 2}, {3}});
  const auto text =
      scored_line_of(R"({"segments": ["a", {"text": "b", "reuse": false}, {"text": ""}]})");
  REQUIRE(text.ok());
  CHECK_FALSE(text->has_ids);
  REQUIRE(text->segments.size() == 3);
  CHECK(text->segments[0].text == "a");
  CHECK(text->segments[0].reusable);
  CHECK(text->segments[1].text == "b");
  CHECK_FALSE(text->segments[1].reusable);
}

TEST_CASE("a line that is not what it should be says why", "[actors][token_lines]") {
  CHECK(refusal(text_of_line("{")) == "this is no JSON (or no valid UTF-8)");
  CHECK(refusal(text_of_line("{\"text\": \"\xff\"}")) == "this is no JSON (or no valid UTF-8)");
  CHECK(refusal(text_of_line("[]")) == "this is no JSON object");
  CHECK(refusal(text_of_line(R"({"text": 3})")) == "this line has no \"text\" that is a string");
  CHECK(refusal(ids_of_line(R"({"id": [3]})")) == "this line has no \"ids\"");
  CHECK(refusal(ids_of_line(R"({"ids": 3})")) == "\"ids\" is no list of token ids");
  CHECK(refusal(ids_of_line(R"({"ids": [1.5]})")) == "\"ids\" holds something that is no token id");
  for (const std::string huge : {"4294967296", "18446744073709551615", "-9000000000"})
    CHECK(refusal(ids_of_line("{\"ids\": [" + huge + "]}")) ==
          "\"ids\" holds " + huge + ", which is no token id");
}

TEST_CASE("a scored line that is not what it should be says why", "[actors][token_lines]") {
  CHECK(refusal(scored_line_of("{}")) == "a line has either \"segments\" or \"ids\"");
  CHECK(refusal(scored_line_of(R"({"ids": [[1]], "segments": ["a"]})")) ==
        "a line has either \"segments\" or \"ids\"");
  CHECK(refusal(scored_line_of(R"({"ids": [1, 2]})")) == "\"ids[0]\" is no list of token ids");
  CHECK(refusal(scored_line_of(R"({"segments": "a"})")) == "\"segments\" is no list");
  CHECK(refusal(scored_line_of(R"({"segments": ["a", 3]})")) ==
        "\"segments\"[1] is neither text nor an object with \"text\"");
  CHECK(refusal(scored_line_of(R"({"segments": [{"reuse": true}]})")) ==
        "\"segments\"[0] has no \"text\"");
  CHECK(refusal(scored_line_of(R"({"segments": [{"text": "a", "reuse": 1}]})")) ==
        "\"segments\"[0] has a \"reuse\" that is neither true nor false");
}

TEST_CASE("deep nesting is refused without harm", "[actors][token_lines]") {
  const std::string deep = std::string(100000, '[') + std::string(100000, ']');
  const std::string sentence = "this JSON nests deeper than 64 levels";
  CHECK(refusal(ids_of_line("{\"ids\": " + deep + "}")) == sentence);
  CHECK(refusal(scored_line_of("{\"segments\": " + deep + "}")) == sentence);
}
