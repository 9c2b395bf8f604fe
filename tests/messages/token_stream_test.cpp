#include "messages/prompt/token_stream.hpp"

#include <catch2/catch.hpp>

#include "messages/prompt/utf8.hpp"
#include "tests/messages/fixture.hpp"

namespace weft::messages {

using test::bundled_tokenizer;

namespace {

std::string pushed(token_stream& stream, token_id id) {
  const auto text = stream.push(id);
  REQUIRE(text.ok());
  return *text;
}

}  // namespace

TEST_CASE("bytes of a character wait until it is complete", "[messages][token_stream]") {
  const auto ids = bundled_tokenizer().encode("\xE4\xB8\x80", special_tokens::plain);
  REQUIRE(ids->size() == 3);
  token_stream stream(bundled_tokenizer());
  CHECK(pushed(stream, (*ids)[0]) == "");
  CHECK(pushed(stream, (*ids)[1]) == "");
  CHECK(pushed(stream, (*ids)[2]) == "\xE4\xB8\x80");
  CHECK(stream.flush() == "");
}

TEST_CASE("bytes that nothing can complete come out at once, the rest at the end",
          "[messages][token_stream]") {
  const auto ids = bundled_tokenizer().encode("\xE4\xB8\x80", special_tokens::plain);
  token_stream stream(bundled_tokenizer());
  CHECK(pushed(stream, (*ids)[0]) == "");
  CHECK(pushed(stream, (*ids)[0]) == "\xEF\xBF\xBD");
  CHECK(stream.flush() == "\xEF\xBF\xBD");
  CHECK(stream.flush() == "");
}

TEST_CASE("a stream leaves special tokens out where it is told to", "[messages][token_stream]") {
  token_stream all(bundled_tokenizer());
  CHECK(pushed(all, 2047) == "<|im_end|>");
  token_stream without(bundled_tokenizer(), true);
  CHECK(pushed(without, 2047) == "");
}

TEST_CASE("an unknown id is refused and leaves the stream as it was", "[messages][token_stream]") {
  const auto ids = bundled_tokenizer().encode("\xC3\xA9", special_tokens::plain);
  REQUIRE(ids->size() == 2);
  token_stream stream(bundled_tokenizer());
  CHECK(pushed(stream, (*ids)[0]) == "");
  CHECK_FALSE(stream.push(2048).ok());
  CHECK_FALSE(stream.push(-5).ok());
  CHECK(pushed(stream, (*ids)[1]) == "\xC3\xA9");
}

TEST_CASE("streamed text is valid at every step and in sum what decode gives",
          "[messages][token_stream]") {
  auto random = test::seeded(8);
  for (int round = 0; round < 3000; ++round) {
    token_ids ids(random() % 20);
    // Mostly tokens of one byte, to have many broken characters.
    for (token_id& id : ids)
      id = static_cast<token_id>(random() % (random() % 4 == 0 ? 2048 : 256));
    const bool skip = random() % 2 == 0;
    token_stream stream(bundled_tokenizer(), skip);
    std::string text;
    for (const token_id id : ids) {
      const std::string step = pushed(stream, id);
      REQUIRE_FALSE(first_invalid_utf8(step));
      text += step;
    }
    text += stream.flush();
    REQUIRE(text == *bundled_tokenizer().decode(ids, skip));
  }
}

}  // namespace weft::messages
