// Words that this thread encoded lately: a fixed table in which a newer word takes an older one's
// place.
//
// Each thread has its own, so there is nothing to lock; all tokenizers of a thread share it (an
// entry names its owner). It holds what `encode` would compute again, so dropping any of it changes
// nothing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "policies/vocabulary/token.hpp"

namespace weft::messages {

class word_cache {
 public:
  // 16,384 places of 104 bytes: 1.6 MiB a thread, enough for the words of ordinary text and small
  // enough for a second-level cache.
  static constexpr std::size_t places = 16384;
  static constexpr std::size_t word_bytes_max = 31;   // Longer words are rare and not kept,
  static constexpr std::size_t word_tokens_max = 15;  // nor are those that hardly merge.

  // This thread's cache.
  static word_cache& of_this_thread();

  // Appends the tokens of `word` to `ids` if they are known; says whether they were.
  // `owner` is the number of the asking tokenizer, from 1, never used twice in a process.
  bool find(std::uint64_t owner, std::string_view word, token_ids& ids) const;

  // Keeps `ids` as the tokens of `word`, if both are small enough.
  void keep(std::uint64_t owner, std::string_view word, std::span<const token_id> ids);

 private:
  struct place {
    std::uint64_t owner = 0;  // 0: empty.
    std::uint8_t bytes = 0;
    std::uint8_t tokens = 0;
    std::array<char, word_bytes_max> word{};
    std::array<token_id, word_tokens_max> ids{};
  };

  word_cache() : places_(places) {}
  static std::size_t place_of(std::uint64_t owner, std::string_view word);

  std::vector<place> places_;
};

}  // namespace weft::messages
