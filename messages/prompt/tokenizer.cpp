#include "messages/prompt/tokenizer.hpp"

#include <atomic>
#include <vector>

#include "messages/prompt/byte_level.hpp"
#include "messages/prompt/normalize.hpp"
#include "messages/prompt/text_file.hpp"
#include "messages/prompt/tokenizer_file.hpp"
#include "messages/prompt/tokenizer_tables.hpp"
#include "messages/prompt/utf8.hpp"
#include "messages/prompt/word_cache.hpp"

namespace weft::messages {

namespace {

std::uint64_t next_number() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace

tokenizer::tokenizer(tokenizer_tables tables)
    : tables_(std::make_shared<const tokenizer_tables>(std::move(tables))),
      number_(next_number()) {}

result<tokenizer> tokenizer::load(const std::filesystem::path& tokenizer_json) {
  const result<std::string> text = read_text_file(tokenizer_json, tokenizer_file_bytes_max);
  if (!text.ok()) return text.error();
  result<tokenizer> parsed = parse(*text);
  if (parsed.ok()) return parsed;
  return failure{parsed.error().kind, tokenizer_json.string() + ": " + parsed.error().message};
}

result<tokenizer> tokenizer::parse(std::string_view json) {
  result<tokenizer_tables> tables = read_tokenizer_file(json);
  if (!tables.ok()) return tables.error();
  return tokenizer(std::move(tables).value());
}

result<token_ids> tokenizer::encode(std::string_view text, special_tokens how) const {
  if (const auto bad = first_invalid_utf8(text)) {
    return rejected("the text is not valid UTF-8 at byte " + std::to_string(*bad));
  }
  token_ids ids;
  ids.reserve(text.size() / 4);  // Ordinary text has 4 to 5 bytes a token.
  std::vector<text_piece> pieces;
  tables_->in_raw_text.cut(text, how, pieces);
  for (const text_piece& piece : pieces) {
    if (piece.id) {
      ids.push_back(*piece.id);
      continue;
    }
    const status encoded = encode_ordinary(piece.text, how, ids);
    if (!encoded.ok()) return encoded.error();
  }
  return ids;
}

// Text in which tokens of the raw text have been found already.
status tokenizer::encode_ordinary(std::string_view text, special_tokens how, token_ids& ids) const {
  std::string storage;
  if (tables_->normalize) {
    const result<std::string_view> normalized = normalize_nfc(text, storage);
    if (!normalized.ok()) return normalized.error();
    text = *normalized;
  }
  std::vector<text_piece> pieces;
  tables_->in_normalized_text.cut(text, how, pieces);
  for (const text_piece& piece : pieces) {
    if (piece.id) {
      ids.push_back(*piece.id);
      continue;
    }
    status encoded = encode_words(piece.text, ids);
    if (!encoded.ok()) return encoded;
  }
  return {};
}

status tokenizer::encode_words(std::string_view text, token_ids& ids) const {
  std::vector<std::string_view> words = {text};
  std::vector<std::string_view> finer;
  for (const split_pattern& pattern : tables_->splits) {
    finer.clear();
    for (const std::string_view word : words) {
      status cut = pattern.cut(word, finer);
      if (!cut.ok()) return cut;
    }
    words.swap(finer);
  }
  for (const std::string_view word : words) {
    status encoded = encode_word(word, ids);
    if (!encoded.ok()) return encoded;
  }
  return {};
}

status tokenizer::encode_word(std::string_view word, token_ids& ids) const {
  word_cache& cache = word_cache::of_this_thread();
  if (cache.find(number_, word, ids)) return {};
  const std::size_t before = ids.size();
  std::optional<token_id> whole;
  if (tables_->whole_words) whole = tables_->tokens.id_of(byte_level_symbols(word));
  if (whole) {
    ids.push_back(*whole);
  } else if (status merged = tables_->merging.encode(word, ids); !merged.ok()) {
    return merged;
  }
  cache.keep(number_, word, std::span<const token_id>(ids).subspan(before));
  return {};
}

result<std::string> tokenizer::decode(std::span<const token_id> ids, bool skip_special) const {
  std::string bytes;
  for (const token_id id : ids) {
    const std::optional<std::string_view> token = bytes_of(id);
    if (!token) {
      return rejected("token id " + std::to_string(id) +
                      " is not one of the tokenizer's, which end at " + std::to_string(size() - 1));
    }
    if (!skip_special || !is_special(id)) bytes.append(*token);
  }
  std::string text;
  text.reserve(bytes.size());
  append_repaired(text, bytes);
  return text;
}

std::optional<std::string_view> tokenizer::bytes_of(token_id id) const {
  return tables_->tokens.bytes_of(id);
}

bool tokenizer::is_special(token_id id) const {
  return id >= 0 && id < size() && tables_->special[static_cast<std::size_t>(id)];
}

std::optional<token_id> tokenizer::id_of(std::string_view content) const {
  return tables_->tokens.id_of(content);
}

std::int64_t tokenizer::size() const { return tables_->tokens.size(); }

}  // namespace weft::messages
