// Text into token ids and back, exactly as the checkpoint's own tokenizer does it: byte-level BPE
// as tokenizer.json describes (see tokenizer_file.hpp for what of it is supported).
//
// A tokenizer is a value: copies share the tables, which never change, and cost nothing.
// Threads: all members are const and may run on any number of threads at once. Each thread that
// encodes keeps a cache of words of 1.6 MiB (word_cache.hpp), the only memory besides the result's
// that lasts.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "messages/prompt/added_tokens.hpp"
#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::messages {

struct tokenizer_tables;

class tokenizer {
 public:
  // Reads a tokenizer.json. `unavailable` if the file cannot be read; `rejected`, naming path and
  // field, if it is broken or asks for something that is not supported.
  static result<tokenizer> load(const std::filesystem::path& tokenizer_json);

  // The same from the file's text; failures name the field.
  static result<tokenizer> parse(std::string_view json);

  // The ids of `text`; nothing is added at either end. `rejected` if the text is not UTF-8 (naming
  // the offset of the first bad byte) or holds a byte for which the vocabulary has no token.
  result<token_ids> encode(std::string_view text, special_tokens how) const;

  // The text of `ids`; bytes that are not UTF-8 become U+FFFD. With `skip_special`, special tokens
  // are left out. `rejected` if an id belongs to no token.
  result<std::string> decode(std::span<const token_id> ids, bool skip_special = false) const;

  // The bytes of one token, which need not be whole characters, or nullopt if `id` belongs to none.
  // The view lives as long as any copy of this tokenizer.
  std::optional<std::string_view> bytes_of(token_id id) const;

  // Whether decoding that skips special tokens leaves `id` out.
  bool is_special(token_id id) const;

  // The id of the token that the file writes as `content`: added tokens as they are, ordinary ones
  // in the byte-level alphabet.
  std::optional<token_id> id_of(std::string_view content) const;

  // One more than the largest id.
  std::int64_t size() const;

 private:
  explicit tokenizer(tokenizer_tables tables);

  status encode_ordinary(std::string_view text, special_tokens how, token_ids& ids) const;
  status encode_words(std::string_view text, token_ids& ids) const;
  status encode_word(std::string_view word, token_ids& ids) const;

  std::shared_ptr<const tokenizer_tables> tables_;  // Immutable, so that copies may share it.
  std::uint64_t number_ = 0;  // Of these tables in this process: the owner of cached words.
};

}  // namespace weft::messages
