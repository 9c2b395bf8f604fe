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

}  // namespace weft
