#include "messages/prompt/tokenizer_file.hpp"

#include <array>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "messages/prompt/byte_level.hpp"
#include "messages/prompt/json_text.hpp"
#include "messages/prompt/normalize.hpp"
#include "messages/prompt/pre_tokenizer_file.hpp"
#include "messages/prompt/utf8.hpp"

namespace weft::messages {

namespace {

using nlohmann::json;

// A missing field reads as null, as in the format itself.
const json& at(const json& object, const char* key) {
  static const json absent;
  const auto found = object.find(key);
  return found == object.end() ? absent : *found;
}

std::string indexed(std::string_view field, std::size_t index) {
  return std::string(field) + "[" + std::to_string(index) + "]";
}

// Puts the field in front of a failure that does not name it.
failure in_field(const std::string& field, const failure& what) {
  return rejected(field + ": " + what.message);
}

status check_model(const json& model) {
  if (!model.is_object()) return wrong_kind("model", "an object", model);
  const json& type = at(model, "type");
  if (!type.is_null() && type != "BPE") {
    return rejected("model.type " +
                    in_quotes(type.is_string() ? type.get<std::string>() : type.dump()) +
                    " is not supported, only BPE");
  }
  const json& dropout = at(model, "dropout");
  if (!dropout.is_null() && dropout != 0) return rejected("model.dropout is not supported");
  for (const char* field : {"unk_token", "continuing_subword_prefix", "end_of_word_suffix"}) {
    const json& value = at(model, field);
    if (value.is_null() || (value.is_string() && value.get_ref<const std::string&>().empty())) {
      continue;
    }
    return rejected(std::string("model.") + field + " is not supported in a byte-level tokenizer");
  }
  const json& fallback = at(model, "byte_fallback");
  if (!fallback.is_null() && fallback != false) {
    return rejected("model.byte_fallback is not supported");
  }
  const json& whole = at(model, "ignore_merges");
  if (!whole.is_null() && !whole.is_boolean()) {
    return wrong_kind("model.ignore_merges", "true or false", whole);
  }
  return {};
}

status read_vocabulary(const json& field, vocabulary& tokens) {
  if (!field.is_object()) return wrong_kind("model.vocab", "an object", field);
  if (field.empty()) return rejected("model.vocab is empty");
  for (const auto& item : field.items()) {
    if (!item.value().is_number_integer()) {
      return wrong_kind("model.vocab[" + in_quotes(item.key()) + "]", "an integer", item.value());
    }
    // Before it is read into a type that it may not fit.
    if (item.value() < 0 || item.value() > vocabulary_id_max)
      return rejected("model.vocab: token " + in_quotes(item.key()) + " has id " +
                      item.value().dump() + ", outside 0 to " + std::to_string(vocabulary_id_max));
    const status added = tokens.add(item.key(), item.value().get<std::int64_t>());
    if (!added.ok()) return in_field("model.vocab", added.error());
  }
  return {};
}

using merge_pair = std::pair<std::string_view, std::string_view>;

// A merge is "a b" or ["a", "b"]; nullopt if it is neither. Points into `field`.
std::optional<merge_pair> read_pair(const json& field) {
  if (field.is_array() && field.size() == 2 && field[0].is_string() && field[1].is_string()) {
    return merge_pair(field[0].get_ref<const std::string&>(),
                      field[1].get_ref<const std::string&>());
  }
  if (!field.is_string()) return std::nullopt;
  const std::string_view text = field.get_ref<const std::string&>();
  const std::size_t space = text.find(' ');
  if (space == std::string_view::npos || text.find(' ', space + 1) != std::string_view::npos) {
    return std::nullopt;
  }
  return merge_pair(text.substr(0, space), text.substr(space + 1));
}

result<merge_table> read_merges(const json& field, const vocabulary& tokens) {
  if (!field.is_array()) return wrong_kind("model.merges", "an array", field);
  merge_table merges(field.size());
  std::int32_t rank = 0;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const bool header =
        field[i].is_string() && field[i].get_ref<const std::string&>().starts_with("#version");
    if (header) continue;
    const std::optional<merge_pair> pair = read_pair(field[i]);
    if (!pair) {
      return rejected(indexed("model.merges", i) + " must be \"a b\" or [\"a\", \"b\"]");
    }
    const std::string into = std::string(pair->first) + std::string(pair->second);
    for (const std::string_view part : {pair->first, pair->second, std::string_view(into)}) {
      if (tokens.id_of(part)) continue;
      return rejected(indexed("model.merges", i) + " names " + in_quotes(part) +
                      ", which is not in model.vocab");
    }
    merges.set(*tokens.id_of(pair->first), *tokens.id_of(pair->second),
               {rank++, *tokens.id_of(into)});
  }
  return merges;
}

byte_pair make_merging(const vocabulary& tokens, merge_table merges) {
  std::array<token_id, 256> initial{};
  for (std::size_t byte = 0; byte < initial.size(); ++byte) {
    initial[byte] = tokens.id_of(byte_level_symbol(static_cast<unsigned char>(byte))).value_or(-1);
  }
  return byte_pair(initial, std::move(merges));
}

// Whether ordinary text is brought into form C.
result<bool> read_normalizer(const json& field, const std::string& where) {
  if (field.is_null()) return false;
  if (!field.is_object()) return wrong_kind(where, "an object or null", field);
  const json& type = at(field, "type");
  if (type == "NFC") return true;
  if (type != "Sequence") {
    return rejected(where + ".type " + in_quotes(type.is_string() ? type.get<std::string>() : "") +
                    " is not supported, only NFC");
  }
  const json& parts = at(field, "normalizers");
  if (!parts.is_array()) return wrong_kind(where + ".normalizers", "an array", parts);
  bool normalize = false;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    result<bool> part = read_normalizer(parts[i], indexed(where + ".normalizers", i));
    if (!part.ok()) return part;
    normalize = normalize || *part;
  }
  return normalize;
}

// Nothing but ByteLevel, which changes no ids when encoding and is the alphabet when decoding.
status check_byte_level(const json& field, const std::string& where, bool may_be_absent) {
  if (field.is_null() && may_be_absent) return {};
  if (!field.is_object()) return wrong_kind(where, "an object of type ByteLevel", field);
  const json& type = at(field, "type");
  if (type == "ByteLevel") return {};
  return rejected(where + ".type " + in_quotes(type.is_string() ? type.get<std::string>() : "") +
                  " is not supported, only ByteLevel");
}

result<added_token> read_added_token(const json& field, const std::string& where) {
  if (!field.is_object()) return wrong_kind(where, "an object", field);
  const json& id = at(field, "id");
  const json& content = at(field, "content");
  if (!id.is_number_integer()) return wrong_kind(where + ".id", "an integer", id);
  if (!content.is_string()) return wrong_kind(where + ".content", "a string", content);
  if (id < 0 || id > vocabulary_id_max) {
    return rejected(where + ".id " + id.dump() + " is outside 0 to " +
                    std::to_string(vocabulary_id_max));
  }
  added_token token{.id = id.get<token_id>(), .content = content.get<std::string>()};
  if (token.content.empty()) return rejected(where + ".content is empty");
  const std::pair<const char*, bool*> flags[] = {{"special", &token.special},
                                                 {"single_word", &token.single_word},
                                                 {"lstrip", &token.strip_left},
                                                 {"rstrip", &token.strip_right},
                                                 {"normalized", &token.normalized}};
  for (const auto& [name, flag] : flags) {
    const json& value = at(field, name);
    if (value.is_null()) continue;
    if (!value.is_boolean()) return wrong_kind(where + "." + name, "true or false", value);
    *flag = value.get<bool>();
  }
  return token;
}

// Adds the tokens to the vocabulary and sorts them by the text they are looked for in.
status read_added_tokens(const json& field, tokenizer_tables& tables) {
  if (!field.is_array() && !field.is_null()) return wrong_kind("added_tokens", "an array", field);
  std::vector<added_token> raw;
  std::vector<added_token> normalized;
  std::vector<token_id> special;
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::string where = indexed("added_tokens", i);
    result<added_token> token = read_added_token(field[i], where);
    if (!token.ok()) return token.error();
    const status added = tables.tokens.add(token->content, token->id);
    if (!added.ok()) return in_field(where, added.error());
    if (token->special) special.push_back(token->id);
    if (token->normalized && tables.normalize) {
      std::string storage;
      const result<std::string_view> content = normalize_nfc(token->content, storage);
      if (!content.ok()) return in_field(where, content.error());
      token->content = std::string(*content);
    }
    (token->normalized ? normalized : raw).push_back(std::move(token).value());
  }
  tables.special.assign(static_cast<std::size_t>(tables.tokens.size()), false);
  for (const token_id id : special) tables.special[static_cast<std::size_t>(id)] = true;
  tables.in_raw_text = added_tokens(std::move(raw));
  tables.in_normalized_text = added_tokens(std::move(normalized));
  return {};
}

}  // namespace

result<tokenizer_tables> read_tokenizer_file(std::string_view text) {
  if (text.size() > tokenizer_file_bytes_max) {
    return rejected("the tokenizer is longer than " + std::to_string(tokenizer_file_bytes_max) +
                    " bytes");
  }
  const result<json> file = parse_json(text);
  if (!file.ok()) return file.error();
  if (!file->is_object()) return wrong_kind("the tokenizer", "an object", *file);

  const json& model = at(*file, "model");
  const status fit = check_model(model);
  if (!fit.ok()) return fit.error();
  const status decoder = check_byte_level(at(*file, "decoder"), "decoder", false);
  if (!decoder.ok()) return decoder.error();
  const status after = check_byte_level(at(*file, "post_processor"), "post_processor", true);
  if (!after.ok()) return after.error();
  const result<bool> normalize = read_normalizer(at(*file, "normalizer"), "normalizer");
  if (!normalize.ok()) return normalize.error();
  result<std::vector<split_pattern>> splits = read_pre_tokenizer(at(*file, "pre_tokenizer"));
  if (!splits.ok()) return splits.error();

  tokenizer_tables tables;
  tables.normalize = *normalize;
  tables.splits = std::move(splits).value();
  tables.whole_words = at(model, "ignore_merges") == true;
  const status vocab = read_vocabulary(at(model, "vocab"), tables.tokens);
  if (!vocab.ok()) return vocab.error();
  result<merge_table> merges = read_merges(at(model, "merges"), tables.tokens);
  if (!merges.ok()) return merges.error();
  tables.merging = make_merging(tables.tokens, std::move(merges).value());
  const status added = read_added_tokens(at(*file, "added_tokens"), tables);
  if (!added.ok()) return added.error();
  return tables;
}

}  // namespace weft::messages
