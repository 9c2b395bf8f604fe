// The name of an entry: a hash of all that its bits depend on, and of who may see it.
//
// Two entries with one key are the same entry, on any node. The key is
//
//   SHA-256( frame("weft", "key") frame(name, value) ... )
//
// over the fields below, all of them, always, in this order, with
//
//   frame(name, value) = u64(length of name) name u64(length of value) value
//
// where u64 is 8 bytes, little-endian, lengths count bytes, names are ASCII. Values:
//
//   name                     value
//   "layout"                 u64 layout_version
//   "model"                  model_fingerprint, its bytes as given (hex text stays text)
//   "tokenizer"              tokenizer_fingerprint, likewise
//   "numerics"               numerics_id, UTF-8
//   "dtype"                  dtype, UTF-8
//   "kind"                   "entry" or "checkpoint"
//   "predecessor"            the 32 bytes of the key before, or nothing
//   "head"                   u64 w
//   "tail"                   u64 r
//   "anchor"                 u64 count of segments, then of each: u64 count of ids, its ids
//   "scope"                  scope, UTF-8
//   "tokens"                 the ids
//
// and an id is 4 bytes, little-endian. Test vectors: tests/data/key-vectors.json, written by
// tests/messages/make_key_vectors.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policies/vocabulary/entry_key.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::messages {

// Of what an entry's memory means; raised when the same fields come to mean other bits.
inline constexpr std::uint64_t layout_version = 1;

using weft::entry_key;
using weft::parse_entry_key;

// An entry is spliced; a checkpoint is a prefix (a lead, an anchor, a link of a prefix chain).
enum class key_kind : std::uint8_t { entry, checkpoint };

struct key_fields {
  std::uint64_t layout = layout_version;
  std::string model_fingerprint;
  std::string tokenizer_fingerprint;
  std::string numerics_id;  // Engine, instruction set, kernel version.
  std::string dtype;
  key_kind kind = key_kind::entry;
  std::optional<entry_key> predecessor;  // Of a checkpoint that goes on from another one.
  std::uint64_t head_tokens = 0;         // w
  std::uint64_t tail_tokens = 0;         // r
  std::vector<token_ids> anchor;         // Empty: prefilled alone.
  std::string scope;                     // The tenant's, from credentials.
  token_ids tokens;
};

// Requires: ids of 0 and up; a predecessor only for checkpoints. Any thread.
entry_key make_key(const key_fields& fields);

}  // namespace weft::messages
