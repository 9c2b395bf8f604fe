#include "messages/prompt/json_text.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "policies/vocabulary/json_nesting.hpp"

namespace weft::messages {

namespace {

std::string error_of(std::string_view text) {
  const auto parsed = parse_json(text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().kind == failure_kind::rejected);
  return parsed.error().message;
}

}  // namespace

TEST_CASE("good JSON is parsed", "[messages][json_text]") {
  const auto parsed = parse_json(R"( {"a": [1, "]]]]{{{{"]} )");
  REQUIRE(parsed.ok());
  CHECK((*parsed)["a"][1] == "]]]]{{{{");
}

TEST_CASE("broken JSON is refused with line and column", "[messages][json_text]") {
  CHECK(error_of("{\n \"a\": }").find("line 2, column 7") != std::string::npos);
  CHECK(error_of("").find("line 1") != std::string::npos);
  CHECK(error_of("{\"a\": 1} x").find("line 1, column 10") != std::string::npos);
  CHECK(error_of("\"\xFF\"").find("ill-formed UTF-8") != std::string::npos);
  CHECK(error_of("[1e999]").find("number overflow") != std::string::npos);
}

TEST_CASE("nesting is bounded, whether or not the brackets are closed", "[messages][json_text]") {
  const std::string open(json_depth_max, '[');
  const std::string close(json_depth_max, ']');
  CHECK(parse_json(open + close).ok());
  CHECK(error_of("[" + open + close + "]").find("64 levels") != std::string::npos);
  CHECK(error_of(std::string(10'000'000, '[')).find("64 levels") != std::string::npos);
  CHECK(error_of(std::string(10'000, '{')).find("64 levels") != std::string::npos);
}

TEST_CASE("an unknown key is named, with its place and the known ones", "[messages][json_text]") {
  const nlohmann::json object = {{"head", 1}, {"tial", 2}};
  CHECK(check_keys({{"head", 1}}, {"head", "tail"}, "seam").ok());
  const status checked = check_keys(object, {"head", "tail"}, "seam");
  REQUIRE_FALSE(checked.ok());
  CHECK(checked.error().message == "unknown key 'tial' in seam; known are head, tail");
  CHECK(check_keys(nlohmann::json(3), {"head"}, "seam").error().message ==
        "seam must be an object, but is a number");
}

}  // namespace weft::messages
