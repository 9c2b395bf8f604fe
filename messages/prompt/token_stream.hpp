// Text of tokens as they come, in whole characters only.
//
// A token may end inside a character; its bytes are held back until the character is complete or
// can no longer become one. All that `push` and `flush` return, one behind the other, equals
// `tokenizer::decode` of all ids. One stream a sequence; not for several threads at once.
#pragma once

#include <string>

#include "messages/prompt/tokenizer.hpp"
#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::messages {

class token_stream {
 public:
  // Keeps a copy of `words`, so it may outlive it. With `skip_special`, special tokens give none.
  explicit token_stream(tokenizer words, bool skip_special = false)
      : words_(std::move(words)), skip_special_(skip_special) {}

  // The text that is complete with `id`, often none. `rejected` if `id` belongs to no token; then
  // the stream is as it was.
  result<std::string> push(token_id id);

  // What was held back, at the end: U+FFFD or nothing. The stream is empty afterwards.
  std::string flush();

 private:
  tokenizer words_;
  bool skip_special_ = false;
  std::string held_;  // At most 3 bytes between calls.
};

}  // namespace weft::messages
