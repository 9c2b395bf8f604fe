#include "policies/vocabulary/json_nesting.hpp"

#include <string>

#include <catch2/catch.hpp>

namespace weft {

TEST_CASE("nesting counts open brackets outside strings", "[policies][json_nesting]") {
  CHECK(json_nesting("") == 0);
  CHECK(json_nesting("1") == 0);
  CHECK(json_nesting("[]") == 1);
  CHECK(json_nesting(R"({"a": [1, {"b": []}], "c": [[]]})") == 4);
  CHECK(json_nesting(R"(["[[[\"[[", "]]"])") == 1);
  CHECK(json_nesting("]]][[") == 2);
  CHECK(json_nesting(std::string(100000, '[')) == 100000);
}

TEST_CASE("a byte 0 and deep nesting speak against parsing", "[policies][json_nesting]") {
  using namespace std::string_literals;
  CHECK(json_complaint(R"({"a": [1, 2]})").empty());
  CHECK(json_complaint("[1]\0[2]"s) == "holds a byte 0");
  CHECK(json_complaint(std::string(json_depth_max, '[')).empty());
  CHECK(json_complaint(std::string(json_depth_max + 1, '[')) == "nests deeper than 64 levels");
}

}  // namespace weft
