#include "gpu/checkpoint/json_file.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu {
namespace {

using namespace testing;
using Catch::Matchers::Contains;

std::string failure_of(std::string_view text) {
  const result<nlohmann::json> parsed = parse_json("it", text);
  REQUIRE_FALSE(parsed.ok());
  CHECK(parsed.error().kind == failure_kind::rejected);
  CHECK_THAT(parsed.error().message, Contains("it"));
  return parsed.error().message;
}

TEST_CASE("broken JSON is named with the byte where it breaks", "[gpu][json_file]") {
  CHECK_THAT(failure_of(R"({"a": 1,, })"), Contains("byte 9"));
  failure_of("");
  failure_of("{\"a\": \"\xff\"}");
  failure_of(R"({"a": 1} {})");
  failure_of(std::string("\0\0\0", 3));
}

TEST_CASE("a number that no machine holds is refused", "[gpu][json_file]") {
  failure_of(R"({"a": 1e999})");
}

TEST_CASE("a key given twice in one object is refused", "[gpu][json_file]") {
  CHECK_THAT(failure_of(R"({"a": 1, "b": {"c": 2}, "a": 3})"), Contains("\"a\" twice"));
  CHECK_THAT(failure_of(R"([{"b": {"c": 2, "c": 2}}])"), Contains("\"c\" twice"));
  CHECK(parse_json("it", R"({"a": {"a": [{"a": 1}, {"a": 2}]}})").ok());
}

TEST_CASE("deep nesting does not exhaust the stack", "[gpu][json_file]") {
  failure_of(std::string(2'000'000, '['));
  const std::string deep = std::string(200'000, '[') + std::string(200'000, ']');
  CHECK_THAT(failure_of(deep), Contains("nests deeper than"));
}

TEST_CASE("a JSON file that is not there is unavailable", "[gpu][json_file]") {
  const temporary_folder folder;
  const result<nlohmann::json> absent = read_json_file(folder.path() / "absent.json");
  REQUIRE_FALSE(absent.ok());
  CHECK(absent.error().kind == failure_kind::unavailable);
}

TEST_CASE("values are shown short and printable", "[gpu][json_file]") {
  CHECK(shown(nlohmann::json("a")) == "\"a\"");
  CHECK(shown(nlohmann::json(std::string(1000, 'x'))).size() < 100);
}

}  // namespace
}  // namespace weft::gpu
