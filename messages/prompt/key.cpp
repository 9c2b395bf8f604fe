#include "messages/prompt/key.hpp"

#include "messages/prompt/sha256.hpp"
#include "policies/vocabulary/assert.hpp"

namespace weft::messages {

namespace {

void append_little_endian(std::string& bytes, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) bytes.push_back(static_cast<char>(value >> (8 * i) & 0xFFU));
}

std::string number(std::uint64_t value) {
  std::string bytes;
  append_little_endian(bytes, value, 8);
  return bytes;
}

void append_ids(std::string& bytes, const token_ids& ids) {
  bytes.reserve(bytes.size() + 4 * ids.size());
  for (const token_id id : ids) {
    WEFT_ASSERT(id >= 0);
    append_little_endian(bytes, static_cast<std::uint32_t>(id), 4);
  }
}

std::string anchor_value(const std::vector<token_ids>& anchor) {
  std::string bytes = number(anchor.size());
  for (const token_ids& segment : anchor) {
    append_little_endian(bytes, segment.size(), 8);
    append_ids(bytes, segment);
  }
  return bytes;
}

void add_frame(sha256& hash, std::string_view name, std::string_view value) {
  hash.add(number(name.size()));
  hash.add(name);
  hash.add(number(value.size()));
  hash.add(value);
}

}  // namespace

entry_key make_key(const key_fields& fields) {
  WEFT_ASSERT(!fields.predecessor || fields.kind == key_kind::checkpoint);
  std::string predecessor;
  if (fields.predecessor) {
    predecessor.assign(reinterpret_cast<const char*>(fields.predecessor->bytes.data()),
                       fields.predecessor->bytes.size());
  }
  std::string tokens;
  append_ids(tokens, fields.tokens);

  sha256 hash;
  add_frame(hash, "weft", "key");
  add_frame(hash, "layout", number(fields.layout));
  add_frame(hash, "model", fields.model_fingerprint);
  add_frame(hash, "tokenizer", fields.tokenizer_fingerprint);
  add_frame(hash, "numerics", fields.numerics_id);
  add_frame(hash, "dtype", fields.dtype);
  add_frame(hash, "kind", fields.kind == key_kind::entry ? "entry" : "checkpoint");
  add_frame(hash, "predecessor", predecessor);
  add_frame(hash, "head", number(fields.head_tokens));
  add_frame(hash, "tail", number(fields.tail_tokens));
  add_frame(hash, "anchor", anchor_value(fields.anchor));
  add_frame(hash, "scope", fields.scope);
  add_frame(hash, "tokens", tokens);
  return {hash.finish()};
}

}  // namespace weft::messages
