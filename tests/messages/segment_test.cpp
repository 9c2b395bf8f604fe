#include "messages/prompt/segment.hpp"

#include <catch2/catch.hpp>

namespace weft::messages {

namespace {

std::vector<std::string> cut(std::string_view text, const std::optional<std::string>& separator) {
  std::vector<std::string> parts;
  for (const prompt_segment& segment : cut_segments(text, separator)) {
    CHECK(segment.reusable);
    parts.push_back(segment.text);
  }
  return parts;
}

using parts = std::vector<std::string>;
const std::string usual(default_separator);

}  // namespace

TEST_CASE("text is cut at the separator and keeps its white space", "[messages][segment]") {
  CHECK(cut("lead\n<<PIC_SEP>> one <<PIC_SEP>>two?\n", usual) ==
        parts{"lead\n", " one ", "two?\n"});
}

TEST_CASE("empty parts are dropped", "[messages][segment]") {
  CHECK(cut("<<PIC_SEP>>a<<PIC_SEP>><<PIC_SEP>>b<<PIC_SEP>>", usual) == parts{"a", "b"});
  CHECK(cut("<<PIC_SEP>>", usual) == parts{});
  CHECK(cut("", usual) == parts{});
}

TEST_CASE("another separator cuts, and without one nothing does", "[messages][segment]") {
  CHECK(cut("a--b<<PIC_SEP>>c", "--") == parts{"a", "b<<PIC_SEP>>c"});
  CHECK(cut("a<<PIC_SEP>>b", std::nullopt) == parts{"a<<PIC_SEP>>b"});
  CHECK(cut("a<<PIC_SEP>>b", "") == parts{"a<<PIC_SEP>>b"});
  CHECK(cut("", std::nullopt) == parts{});
  CHECK(cut("aaa", "aa") == parts{"a"});
}

}  // namespace weft::messages
