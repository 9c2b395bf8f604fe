#include "messages/prompt/key.hpp"

#include <cstring>

#include "messages/prompt/sha256.hpp"
#include "messages/prompt/utf8.hpp"
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

int digit_value(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

}  // namespace

std::string entry_key::hex() const { return to_hex(bytes); }

result<entry_key> parse_entry_key(std::string_view hex) {
  entry_key key;
  if (hex.size() != 2 * key.bytes.size()) {
    return rejected("a key has 64 hexadecimal digits, but " + in_quotes(hex) + " has " +
                    std::to_string(hex.size()) + " bytes");
  }
  for (std::size_t i = 0; i < key.bytes.size(); ++i) {
    const int high = digit_value(hex[2 * i]);
    const int low = digit_value(hex[2 * i + 1]);
    if (high < 0 || low < 0)
      return rejected("a key has hexadecimal digits only: " + in_quotes(hex));
    key.bytes[i] = static_cast<std::byte>(16 * high + low);
  }
  return key;
}

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

std::size_t std::hash<weft::messages::entry_key>::operator()(
    const weft::messages::entry_key& key) const noexcept {
  std::size_t first = 0;
  std::memcpy(&first, key.bytes.data(), sizeof first);
  return first;
}
