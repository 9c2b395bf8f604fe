// All that a tokenizer knows, as read from its file. Never changed once a tokenizer holds it.
#pragma once

#include <vector>

#include "messages/prompt/added_tokens.hpp"
#include "messages/prompt/byte_pair.hpp"
#include "messages/prompt/split_pattern.hpp"
#include "messages/prompt/vocabulary.hpp"

namespace weft::messages {

struct tokenizer_tables {
  vocabulary tokens;          // Ordinary and added ones.
  std::vector<bool> special;  // By id, as long as `tokens`: left out when special ones are skipped.
  added_tokens in_raw_text;   // Found before normalization,
  added_tokens in_normalized_text;    // and after it.
  bool normalize = false;             // Ordinary text is brought into form C.
  std::vector<split_pattern> splits;  // Each cuts what the one before left.
  byte_pair merging;
  bool whole_words = false;  // A word that is a token is that token, whatever the merges say.
};

}  // namespace weft::messages
