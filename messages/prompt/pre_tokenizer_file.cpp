#include "messages/prompt/pre_tokenizer_file.hpp"

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "messages/prompt/json_text.hpp"
#include "messages/prompt/utf8.hpp"

namespace weft::messages {

namespace {

using nlohmann::json;

// A sequence of more is no published tokenizer.
constexpr std::size_t patterns_max = 32;

struct reading {
  std::vector<split_pattern> patterns;
  bool byte_level = false;  // Met; nothing may follow, since it would see symbols instead of text.
};

std::string_view text_at(const json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_string()) return "";
  return found->get_ref<const std::string&>();
}

// `object[key]` if it is true or false, else `absent`.
bool flag_at(const json& object, const char* key, bool absent) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() ? found->get<bool>() : absent;
}

status add_pattern(reading& so_far, std::string_view regex, const std::string& where) {
  if (so_far.patterns.size() == patterns_max) {
    return rejected(where + ": more than " + std::to_string(patterns_max) + " patterns");
  }
  result<split_pattern> pattern = split_pattern::make(regex);
  if (!pattern.ok()) return rejected(where + ": " + pattern.error().message);
  so_far.patterns.push_back(std::move(pattern).value());
  return {};
}

// A regular expression that matches `text` itself.
std::string regex_of(std::string_view text) {
  std::string regex;
  for (const char byte : text) {
    const bool punctuation = byte > 0x20 && byte < 0x7F && std::isalnum(byte) == 0;
    if (punctuation) regex.push_back('\\');
    regex.push_back(byte);
  }
  return regex;
}

status read_split(reading& so_far, const json& part, const std::string& where) {
  const auto pattern = part.find("pattern");
  if (pattern == part.end() || !pattern->is_object()) {
    return rejected(where + ".pattern must be an object with Regex or String");
  }
  const std::string_view behavior = text_at(part, "behavior");
  if (behavior != "Isolated") {
    return rejected(where + ".behavior " + in_quotes(behavior) +
                    " is not supported, only Isolated");
  }
  if (flag_at(part, "invert", false)) return rejected(where + ".invert is not supported");
  const std::string_view text = text_at(*pattern, "String");
  const std::string regex = text.empty() ? std::string(text_at(*pattern, "Regex")) : regex_of(text);
  return add_pattern(so_far, regex, where + ".pattern");
}

status read_byte_level(reading& so_far, const json& part, const std::string& where) {
  // Absent flags are true in this format.
  if (flag_at(part, "add_prefix_space", true)) {
    return rejected(where + ".add_prefix_space is not supported");
  }
  so_far.byte_level = true;
  if (!flag_at(part, "use_regex", true)) return {};
  return add_pattern(so_far, gpt2_split_regex, where);
}

// Recursion ends with the JSON's own depth, which `parse_json` bounds.
status read_part(reading& so_far, const json& part, const std::string& where) {
  if (!part.is_object()) return wrong_kind(where, "an object", part);
  const std::string_view type = text_at(part, "type");
  if (so_far.byte_level) return rejected(where + ": nothing may come after ByteLevel");
  if (type == "Split") return read_split(so_far, part, where);
  if (type == "ByteLevel") return read_byte_level(so_far, part, where);
  if (type != "Sequence") {
    return rejected(where + ".type " + in_quotes(type) +
                    " is not supported, only Split, ByteLevel and Sequence");
  }
  const auto parts = part.find("pretokenizers");
  if (parts == part.end() || !parts->is_array()) {
    return rejected(where + ".pretokenizers must be an array");
  }
  for (std::size_t i = 0; i < parts->size(); ++i) {
    status read =
        read_part(so_far, (*parts)[i], where + ".pretokenizers[" + std::to_string(i) + "]");
    if (!read.ok()) return read;
  }
  return {};
}

}  // namespace

result<std::vector<split_pattern>> read_pre_tokenizer(const json& field) {
  reading all;
  const status read = read_part(all, field, "pre_tokenizer");
  if (!read.ok()) return read.error();
  if (!all.byte_level) return rejected("pre_tokenizer has no ByteLevel, so ids would not be bytes");
  return std::move(all.patterns);
}

}  // namespace weft::messages
