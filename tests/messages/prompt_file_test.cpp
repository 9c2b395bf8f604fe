#include "messages/prompt/prompt_file.hpp"

#include <catch2/catch.hpp>

#include "messages/prompt/utf8.hpp"
#include "tests/messages/fixture.hpp"

namespace weft::messages {

namespace {

const std::string usual(default_separator);

prompt_file good(std::string_view text, const std::optional<std::string>& separator = usual) {
  const auto prompt = parse_prompt_file(text, separator);
  if (!prompt.ok()) FAIL(prompt.error().message);
  return *prompt;
}

std::string refusal(std::string_view text) {
  const auto prompt = parse_prompt_file(text, usual);
  REQUIRE_FALSE(prompt.ok());
  CHECK(prompt.error().kind == failure_kind::rejected);
  return prompt.error().message;
}

using segments = std::vector<prompt_segment>;

}  // namespace

TEST_CASE("a JSON prompt gives its segments, their reuse and the new tokens wanted",
          "[messages][prompt_file]") {
  const prompt_file prompt = good(R"(
    {"segments": ["lead", {"text": "mine", "reuse": false}, {"text": "doc"}, "q?"],
     "max_tokens": 64})");
  CHECK(prompt.segments == segments{{"lead", true}, {"mine", false}, {"doc", true}, {"q?", true}});
  CHECK(prompt.max_tokens == 64);
  CHECK_FALSE(good(R"({"segments": ["q"]})").max_tokens);
  CHECK(good(R"({"segments": ["q"], "max_tokens": 0})").max_tokens == 0);
}

TEST_CASE("plain text is cut at the separator; inside JSON the separator is text",
          "[messages][prompt_file]") {
  CHECK(good("lead<<PIC_SEP>>q\n").segments == segments{{"lead"}, {"q\n"}});
  CHECK(good("a|b", "|").segments == segments{{"a"}, {"b"}});
  CHECK(good("a<<PIC_SEP>>b", std::nullopt).segments == segments{{"a<<PIC_SEP>>b"}});
  CHECK(good(R"({"segments": ["a<<PIC_SEP>>b"]})").segments == segments{{"a<<PIC_SEP>>b"}});
  CHECK(good("[1] is text, since it does not begin with a brace").segments.size() == 1);
}

TEST_CASE("empty segments are dropped, and a prompt of none is refused",
          "[messages][prompt_file]") {
  CHECK(good(R"({"segments": ["", "a", {"text": ""}, "b"]})").segments == segments{{"a"}, {"b"}});
  for (const char* text : {"", "<<PIC_SEP>>", R"({"segments": []})", R"({"segments": [""]})"}) {
    CHECK(refusal(text).find("the prompt is empty") == 0);
  }
}

TEST_CASE("a slip in a JSON prompt is refused with its place", "[messages][prompt_file]") {
  const std::pair<const char*, const char*> cases[] = {
      {"{\"segments\": [\"a\"", "the JSON is broken: parse error at line 1, column 18"},
      {"\n {oops", "the JSON is broken: parse error at line 2, column 3"},
      {R"({"segment": ["a"]})", "unknown key 'segment'; known are segments, max_tokens"},
      {R"({"max_tokens": 3})", "the prompt has no segments"},
      {R"({"segments": "a"})", "segments must be an array, but is a string"},
      {R"({"segments": ["a", 3]})", "segments[1] must be a string or an object, but is a number"},
      {R"({"segments": [{"reuse": true}]})", "segments[0] has no text"},
      {R"({"segments": [{"text": null}]})", "segments[0].text must be a string, but is null"},
      {R"({"segments": [{"text": "a", "reuse": 1}]})", "segments[0].reuse must be true or false"},
      {R"({"segments": [{"text": "a", "resue": true}]})", "unknown key 'resue' in segments[0]"},
      {R"({"segments": ["a"], "max_tokens": "9"})", "max_tokens must be an integer"},
      {R"({"segments": ["a"], "max_tokens": 1.5})", "max_tokens must be an integer"},
      {R"({"segments": ["a"], "max_tokens": -1})", "max_tokens must be 0 to 1000000, but is -1"},
      {R"({"segments": ["a"], "max_tokens": 18446744073709551615})", "max_tokens must be 0 to"}};
  for (const auto& [text, wanted] : cases) {
    const std::string message = refusal(text);
    INFO(text << ": " << message);
    CHECK(message.find(wanted) == 0);
  }
}

TEST_CASE("a prompt that is not UTF-8 is refused with the byte", "[messages][prompt_file]") {
  CHECK(refusal("abc\xFF") == "the prompt is not valid UTF-8 at byte 3");
  CHECK(refusal("{\"segments\": [\"\xC3\"]}") == "the prompt is not valid UTF-8 at byte 15");
}

TEST_CASE("a prompt file is read, or refused with its path", "[messages][prompt_file]") {
  const std::string folder = test::fresh_folder("prompt-file");
  test::write_file(folder + "/good", "a<<PIC_SEP>>b");
  REQUIRE(load_prompt_file(folder + "/good", usual).ok());
  CHECK(load_prompt_file(folder + "/good", usual)->segments.size() == 2);
  test::write_file(folder + "/bad", "{");
  CHECK(load_prompt_file(folder + "/bad", usual).error().message.find(folder + "/bad: the JSON") ==
        0);
  CHECK(load_prompt_file(folder + "/none", usual).error().kind == failure_kind::unavailable);
}

TEST_CASE("a mutated prompt is refused or has text in every segment", "[messages][prompt_file]") {
  auto random = test::seeded(41);
  const std::string whole =
      R"({"segments": ["le\u00e9d", {"text": "m\nine", "reuse": false}], "max_tokens": 64})";
  int refused = 0;
  for (int round = 0; round < 20'000; ++round) {
    const auto prompt = parse_prompt_file(test::mutated(whole, random), usual);
    if (!prompt.ok()) {
      ++refused;
      REQUIRE(prompt.error().kind == failure_kind::rejected);
      REQUIRE_FALSE(first_invalid_utf8(prompt.error().message));
      continue;
    }
    REQUIRE_FALSE(prompt->segments.empty());
    for (const prompt_segment& segment : prompt->segments) {
      REQUIRE_FALSE(segment.text.empty());
      REQUIRE_FALSE(first_invalid_utf8(segment.text));
    }
  }
  CHECK(refused > 5000);
}

}  // namespace weft::messages
