#include "messages/prompt/profile.hpp"

#include <cstdint>

#include <nlohmann/json.hpp>

#include "messages/prompt/json_text.hpp"
#include "messages/prompt/text_file.hpp"

namespace weft::messages {

namespace {

using nlohmann::json;

constexpr std::size_t profile_bytes_max = std::size_t{4}
                                          << 20;     // An anchor is a few pages of text.
constexpr std::int64_t seam_tokens_max = 1'000'000;  // Longer than any prompt's segment.

status read_seam_part(const json& seam, const char* key, std::int64_t& tokens) {
  const auto found = seam.find(key);
  if (found == seam.end()) return {};
  const std::string where = std::string("seam.") + key;
  if (!found->is_number_integer()) return wrong_kind(where, "an integer", *found);
  const auto wanted = found->get<std::int64_t>();
  if (wanted < 0 || wanted > seam_tokens_max) {
    return rejected(where + " must be 0 to " + std::to_string(seam_tokens_max) + ", but is " +
                    found->dump());
  }
  tokens = wanted;
  return {};
}

status read_seam(const json& field, seam& into) {
  status keys = check_keys(field, {"head", "tail"}, "seam");
  if (!keys.ok()) return keys;
  const status head = read_seam_part(field, "head", into.head_tokens);
  return head.ok() ? read_seam_part(field, "tail", into.tail_tokens) : head;
}

status read_anchor(const json& field, std::vector<std::string>& into) {
  if (!field.is_array()) return wrong_kind("anchor", "an array of strings", field);
  for (std::size_t i = 0; i < field.size(); ++i) {
    const std::string where = "anchor[" + std::to_string(i) + "]";
    if (!field[i].is_string()) return wrong_kind(where, "a string", field[i]);
    into.push_back(field[i].get<std::string>());
    if (into.back().empty()) return rejected(where + " is empty");
  }
  return {};
}

status read_separator(const json& field, std::optional<std::string>& into) {
  if (field.is_null() || field == false) {
    into.reset();
    return {};
  }
  if (!field.is_string()) return wrong_kind("separator", "a string, null or false", field);
  if (field.get_ref<const std::string&>().empty())
    return rejected("separator is empty; null switches it off");
  into = field.get<std::string>();
  return {};
}

}  // namespace

result<profile> parse_profile(std::string_view text) {
  const result<json> parsed = parse_json(text);
  if (!parsed.ok()) return parsed.error();
  const json& object = *parsed;
  const status keys = check_keys(object, {"seam", "anchor", "separator"}, "");
  if (!keys.ok()) return keys.error();
  profile read;
  status fit;
  if (object.contains("seam")) fit = read_seam(object["seam"], read.seam);
  if (fit.ok() && object.contains("anchor")) fit = read_anchor(object["anchor"], read.anchor);
  if (fit.ok() && object.contains("separator")) {
    fit = read_separator(object["separator"], read.separator);
  }
  if (!fit.ok()) return fit.error();
  return read;
}

result<profile> load_profile(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::exists(path, error) && !error) return profile{};
  const result<std::string> text = read_text_file(path, profile_bytes_max);
  if (!text.ok()) return text.error();
  result<profile> read = parse_profile(*text);
  if (read.ok()) return read;
  return failure{read.error().kind, path.string() + ": " + read.error().message};
}

}  // namespace weft::messages
