// Tokens by content and by id: what a tokenizer's file lists, and the bytes each id decodes to.
//
// Built once, then only read: const members from any thread.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::messages {

// Published vocabularies end near 262,000; tables are sized by the largest id, so it needs a bound.
inline constexpr std::int64_t vocabulary_id_max = (std::int64_t{1} << 21) - 1;

class vocabulary {
 public:
  // Lists `content` (as written in the file) under `id`. `rejected` if the id is out of range or
  // taken by another content, or the content has another id. The same pair twice is no error.
  status add(std::string_view content, std::int64_t id);

  // The id of `content` as written in the file (byte-level symbols for ordinary tokens).
  std::optional<token_id> id_of(std::string_view content) const;

  // The bytes that `id` decodes to, or nullopt if no token has it. Valid as long as this is.
  std::optional<std::string_view> bytes_of(token_id id) const;

  // One more than the largest id; 0 if there is no token.
  std::int64_t size() const { return static_cast<std::int64_t>(places_.size()); }

 private:
  struct place {
    std::uint32_t begin = 0;
    std::uint32_t length = 0;
    bool taken = false;
  };
  struct hash_of_text {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const {
      return std::hash<std::string_view>{}(text);
    }
  };

  std::unordered_map<std::string, token_id, hash_of_text, std::equal_to<>> ids_;
  std::vector<place> places_;  // By id.
  std::string bytes_;          // Of all tokens, one behind the other.
};

}  // namespace weft::messages
