// Tokens that are found in text as they stand, before any word is cut: `<|im_start|>` and its like.
//
// Leftmost match, longest of those; matches do not overlap. The flags mean what they mean in
// tokenizer.json. Built once, then only read: const members from any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policies/vocabulary/token.hpp"

namespace weft::messages {

struct added_token {
  token_id id = 0;
  std::string content;       // Not empty.
  bool single_word = false;  // Only with no letter, mark, digit or connector on either side.
  bool strip_left = false;   // Takes the white space before it along.
  bool strip_right = false;  // Takes the white space behind it along.
  bool normalized = false;   // Looked for in normalized text; otherwise in the text as it came.
  bool special = false;      // Left out by a decoder that skips special tokens.
};

// What to do with special tokens that stand in a text.
enum class special_tokens : std::uint8_t {
  recognized,  // They become their tokens, as the checkpoint's own tokenizer does.
  plain,       // They are text like any other; added tokens that are not special are still found.
};

// A stretch of text: an added token or what lies between two.
struct text_piece {
  std::string_view text;
  std::optional<token_id> id;
};

class added_tokens {
 public:
  explicit added_tokens(std::vector<added_token> tokens = {});

  // Appends the stretches of `text`, none empty, in order; they point into `text`.
  // Requires: valid UTF-8.
  void cut(std::string_view text, special_tokens how, std::vector<text_piece>& pieces) const;

 private:
  struct match {
    std::size_t begin = 0;
    std::size_t end = 0;
    const added_token* token = nullptr;
  };

  std::optional<match> find(std::string_view text, std::size_t from) const;

  static constexpr std::uint32_t root = 0;

  std::vector<added_token> tokens_;
  std::array<bool, 256> starts_{};  // Bytes with which a token begins.
  // A trie: (node, byte) to node, and the token that ends at a node (an index, or -1).
  std::unordered_map<std::uint64_t, std::uint32_t> next_;
  std::vector<std::int32_t> ends_;
};

}  // namespace weft::messages
