#include "messages/prompt/token_stream.hpp"

#include <utility>

#include "messages/prompt/utf8.hpp"

namespace weft::messages {

result<std::string> token_stream::push(token_id id) {
  const std::optional<std::string_view> bytes = words_.bytes_of(id);
  if (!bytes) {
    return rejected("token id " + std::to_string(id) +
                    " is not one of the tokenizer's, which end at " +
                    std::to_string(words_.size() - 1));
  }
  std::string text;
  if (skip_special_ && words_.is_special(id)) return text;
  held_.append(*bytes);
  const std::size_t complete = complete_utf8(held_);
  append_repaired(text, std::string_view(held_).substr(0, complete));
  held_.erase(0, complete);
  return text;
}

std::string token_stream::flush() {
  std::string text;
  append_repaired(text, std::exchange(held_, {}));
  return text;
}

}  // namespace weft::messages
