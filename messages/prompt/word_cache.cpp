#include "messages/prompt/word_cache.hpp"

#include <algorithm>
#include <functional>

namespace weft::messages {

word_cache& word_cache::of_this_thread() {
  static thread_local word_cache cache;
  return cache;
}

bool word_cache::find(std::uint64_t owner, std::string_view word, token_ids& ids) const {
  if (word.size() > word_bytes_max) return false;
  const place& at = places_[place_of(owner, word)];
  if (at.owner != owner || std::string_view(at.word.data(), at.bytes) != word) return false;
  ids.insert(ids.end(), at.ids.begin(), at.ids.begin() + at.tokens);
  return true;
}

void word_cache::keep(std::uint64_t owner, std::string_view word, std::span<const token_id> ids) {
  if (word.size() > word_bytes_max || ids.size() > word_tokens_max) return;
  place& at = places_[place_of(owner, word)];
  at.owner = owner;
  at.bytes = static_cast<std::uint8_t>(word.size());
  at.tokens = static_cast<std::uint8_t>(ids.size());
  std::copy(word.begin(), word.end(), at.word.begin());
  std::copy(ids.begin(), ids.end(), at.ids.begin());
}

std::size_t word_cache::place_of(std::uint64_t owner, std::string_view word) {
  return (std::hash<std::string_view>{}(word) ^ owner * 0x9E3779B97F4A7C15U) % places;
}

}  // namespace weft::messages
