#include "messages/prompt/vocabulary.hpp"

#include <catch2/catch.hpp>

namespace weft::messages {

TEST_CASE("a token is found by content and by id, and decodes to its bytes",
          "[messages][vocabulary]") {
  vocabulary tokens;
  REQUIRE(tokens.add("\xC4\xA0the", 5).ok());
  REQUIRE(tokens.add("<a b>", 2).ok());
  CHECK(tokens.size() == 6);
  CHECK(tokens.id_of("\xC4\xA0the") == 5);
  CHECK(tokens.bytes_of(5) == " the");
  CHECK(tokens.bytes_of(2) == "<a b>");  // a space is not in the alphabet: it stands for itself
  CHECK_FALSE(tokens.id_of("the"));
  CHECK_FALSE(tokens.bytes_of(0));
  CHECK_FALSE(tokens.bytes_of(6));
  CHECK_FALSE(tokens.bytes_of(-1));
}

TEST_CASE("ids and contents belong together one to one", "[messages][vocabulary]") {
  vocabulary tokens;
  REQUIRE(tokens.add("a", 1).ok());
  CHECK(tokens.add("a", 1).ok());
  CHECK(tokens.add("b", 1).error().message == "id 1 is given twice, the second time to token 'b'");
  CHECK(tokens.add("a", 2).error().message == "token 'a' has two ids, 1 and 2");
}

TEST_CASE("ids beyond the bound cost no memory", "[messages][vocabulary]") {
  vocabulary tokens;
  CHECK_FALSE(tokens.add("a", -1).ok());
  CHECK_FALSE(tokens.add("a", vocabulary_id_max + 1).ok());
  CHECK_FALSE(tokens.add("a", std::int64_t{1} << 62).ok());
  CHECK(tokens.size() == 0);
  CHECK(tokens.add("a", vocabulary_id_max).ok());
}

}  // namespace weft::messages
