// Byte-pair encoding of one word: from bytes to initial tokens to merged tokens.
//
// The pair of lowest rank merges first, the leftmost of equals; that is how tokenizers are trained
// and published. Const members from any thread.
#pragma once

#include <array>
#include <string_view>

#include "messages/prompt/merge_table.hpp"
#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::messages {

class byte_pair {
 public:
  // Without any token: encodes nothing but the empty word.
  byte_pair() { initial_.fill(-1); }

  // `initial`: the token of each byte, -1 where the vocabulary has none.
  byte_pair(const std::array<token_id, 256>& initial, merge_table merges)
      : initial_(initial), merges_(std::move(merges)) {}

  // Appends the tokens of `word` to `ids`. `rejected` if a byte of it has no token.
  // n log n in the length of the word.
  status encode(std::string_view word, token_ids& ids) const;

 private:
  std::array<token_id, 256> initial_{};
  merge_table merges_;
};

}  // namespace weft::messages
