#include "messages/prompt/prompt_file.hpp"

#include <utility>

#include <nlohmann/json.hpp>

#include "messages/prompt/json_text.hpp"
#include "messages/prompt/text_file.hpp"
#include "messages/prompt/utf8.hpp"

namespace weft::messages {

namespace {

using nlohmann::json;

result<prompt_segment> read_segment(const json& field, const std::string& where) {
  if (field.is_string()) return prompt_segment{.text = field.get<std::string>()};
  if (!field.is_object()) return wrong_kind(where, "a string or an object", field);
  const status keys = check_keys(field, {"text", "reuse"}, where);
  if (!keys.ok()) return keys.error();
  const auto text = field.find("text");
  if (text == field.end()) return rejected(where + " has no text");
  if (!text->is_string()) return wrong_kind(where + ".text", "a string", *text);
  prompt_segment segment{.text = text->get<std::string>()};
  const auto reuse = field.find("reuse");
  if (reuse == field.end()) return segment;
  if (!reuse->is_boolean()) return wrong_kind(where + ".reuse", "true or false", *reuse);
  segment.reusable = reuse->get<bool>();
  return segment;
}

result<std::int64_t> read_max_tokens(const json& field) {
  if (!field.is_number_integer()) return wrong_kind("max_tokens", "an integer", field);
  const auto wanted = field.get<std::int64_t>();
  if (wanted >= 0 && wanted <= new_tokens_max) return wanted;
  return rejected("max_tokens must be 0 to " + std::to_string(new_tokens_max) + ", but is " +
                  field.dump());
}

result<prompt_file> parse_json_prompt(std::string_view text) {
  const result<json> parsed = parse_json(text);
  if (!parsed.ok()) return parsed.error();
  const json& object = *parsed;
  const status keys = check_keys(object, {"segments", "max_tokens"}, "");
  if (!keys.ok()) return keys.error();
  prompt_file prompt;
  const auto segments = object.find("segments");
  if (segments == object.end()) return rejected("the prompt has no segments");
  if (!segments->is_array()) return wrong_kind("segments", "an array", *segments);
  for (std::size_t i = 0; i < segments->size(); ++i) {
    result<prompt_segment> segment =
        read_segment((*segments)[i], "segments[" + std::to_string(i) + "]");
    if (!segment.ok()) return segment.error();
    if (!segment->text.empty()) prompt.segments.push_back(std::move(segment).value());
  }
  const auto max_tokens = object.find("max_tokens");
  if (max_tokens != object.end()) {
    const result<std::int64_t> wanted = read_max_tokens(*max_tokens);
    if (!wanted.ok()) return wanted.error();
    prompt.max_tokens = *wanted;
  }
  return prompt;
}

bool begins_as_json(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  return first != std::string_view::npos && text[first] == '{';
}

}  // namespace

result<prompt_file> parse_prompt_file(std::string_view text,
                                      const std::optional<std::string>& separator) {
  if (const auto bad = first_invalid_utf8(text)) {
    return rejected("the prompt is not valid UTF-8 at byte " + std::to_string(*bad));
  }
  result<prompt_file> prompt = begins_as_json(text)
                                   ? parse_json_prompt(text)
                                   : prompt_file{cut_segments(text, separator), std::nullopt};
  if (prompt.ok() && prompt->segments.empty()) {
    return rejected("the prompt is empty: it needs a segment with text");
  }
  return prompt;
}

result<prompt_file> load_prompt_file(const std::filesystem::path& path,
                                     const std::optional<std::string>& separator) {
  const result<std::string> text = read_text_file(path, prompt_file_bytes_max);
  if (!text.ok()) return text.error();
  result<prompt_file> prompt = parse_prompt_file(*text, separator);
  if (prompt.ok()) return prompt;
  return failure{prompt.error().kind, path.string() + ": " + prompt.error().message};
}

}  // namespace weft::messages
