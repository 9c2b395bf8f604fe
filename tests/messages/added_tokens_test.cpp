#include "messages/prompt/added_tokens.hpp"

#include <catch2/catch.hpp>

namespace weft::messages {

namespace {

// The pieces as text, tokens as "#id".
std::vector<std::string> cut(const std::vector<added_token>& tokens, std::string_view text,
                             special_tokens how = special_tokens::recognized) {
  std::vector<text_piece> pieces;
  added_tokens(tokens).cut(text, how, pieces);
  std::vector<std::string> shown;
  std::size_t at = 0;
  for (const text_piece& piece : pieces) {
    REQUIRE(piece.text.data() == text.data() + at);
    at += piece.text.size();
    shown.push_back(piece.id ? "#" + std::to_string(*piece.id) : std::string(piece.text));
  }
  REQUIRE(at == text.size());
  return shown;
}

using shown = std::vector<std::string>;

}  // namespace

TEST_CASE("without tokens a text is one piece, and an empty one none", "[messages][added_tokens]") {
  CHECK(cut({}, "abc") == shown{"abc"});
  CHECK(cut({}, "") == shown{});
}

TEST_CASE("the leftmost match counts, and the longest there", "[messages][added_tokens]") {
  const std::vector<added_token> tokens = {
      {.id = 1, .content = "ab"}, {.id = 2, .content = "abcd"}, {.id = 3, .content = "bc"}};
  CHECK(cut(tokens, "xabcx") == shown{"x", "#1", "cx"});
  CHECK(cut(tokens, "abcdab") == shown{"#2", "#1"});
  CHECK(cut(tokens, "abc") == shown{"#1", "c"});
  CHECK(cut(tokens, "bcb") == shown{"#3", "b"});
}

TEST_CASE("plain text keeps special tokens as text, as a whole, and finds the others",
          "[messages][added_tokens]") {
  const std::vector<added_token> tokens = {{.id = 1, .content = "<|end|>", .special = true},
                                           {.id = 2, .content = "end"}};
  CHECK(cut(tokens, "a<|end|>end") == shown{"a", "#1", "#2"});
  CHECK(cut(tokens, "a<|end|>end", special_tokens::plain) == shown{"a<|end|>", "#2"});
}

TEST_CASE("stripping tokens take the white space beside them along", "[messages][added_tokens]") {
  const std::vector<added_token> tokens = {{.id = 1, .content = "<l>", .strip_left = true},
                                           {.id = 2, .content = "<r>", .strip_right = true},
                                           {.id = 3, .content = "  "}};
  CHECK(cut(tokens, "a \n\xE3\x80\x80<l> b") == shown{"a", "#1", " b"});
  CHECK(cut(tokens, "a <r> \tb") == shown{"a ", "#2", "b"});
  CHECK(cut(tokens, "<r> <l>") == shown{"#2", "#1"});
  CHECK(cut(tokens, "<r>  ") == shown{"#2"});  // the spaces are taken already
}

TEST_CASE("a single word is not found inside another", "[messages][added_tokens]") {
  const std::vector<added_token> tokens = {{.id = 1, .content = "cat", .single_word = true}};
  CHECK(cut(tokens, "cat, cat") == shown{"#1", ", ", "#1"});
  CHECK(cut(tokens, "concat cats _cat") == shown{"concat cats _cat"});
  CHECK(cut(tokens,
            "\xC3\xA9"
            "cat cat\xCC\x81") == shown{"\xC3\xA9"
                                        "cat cat\xCC\x81"});
}

}  // namespace weft::messages
