#include "actors/program/token_lines.hpp"

#include <limits>
#include <optional>

#include <nlohmann/json.hpp>

#include "policies/vocabulary/json_nesting.hpp"

namespace weft::actors {
namespace {

using nlohmann::json;

result<json> object_of(const std::string& line) {
  if (const std::string complaint = json_complaint(line); !complaint.empty())
    return rejected("this JSON " + complaint);
  json value = json::parse(line, nullptr, false);
  if (value.is_discarded()) return rejected("this is no JSON (or no valid UTF-8)");
  if (!value.is_object()) return rejected("this is no JSON object");
  return value;
}

result<token_ids> ids_of(const json& list, const std::string& name) {
  if (!list.is_array()) return rejected("\"" + name + "\" is no list of token ids");
  token_ids ids;
  ids.reserve(list.size());
  for (const json& id : list) {
    if (!id.is_number_integer())
      return rejected("\"" + name + "\" holds something that is no token id");
    const bool fits = id.is_number_unsigned()
                          ? id.get<std::uint64_t>() <= std::numeric_limits<token_id>::max()
                          : id.get<std::int64_t>() >= std::numeric_limits<token_id>::min();
    if (!fits) return rejected("\"" + name + "\" holds " + id.dump() + ", which is no token id");
    ids.push_back(static_cast<token_id>(id.get<std::int64_t>()));
  }
  return ids;
}

result<messages::prompt_segment> segment_of(const json& value, std::size_t index) {
  const std::string name = "\"segments\"[" + std::to_string(index) + "]";
  if (value.is_string()) return messages::prompt_segment{.text = value.get<std::string>()};
  if (!value.is_object()) return rejected(name + " is neither text nor an object with \"text\"");
  const auto text = value.find("text");
  if (text == value.end() || !text->is_string()) return rejected(name + " has no \"text\"");
  messages::prompt_segment segment{.text = text->get<std::string>()};
  if (const auto reuse = value.find("reuse"); reuse != value.end()) {
    if (!reuse->is_boolean())
      return rejected(name + " has a \"reuse\" that is neither true nor false");
    segment.reusable = reuse->get<bool>();
  }
  return segment;
}

}  // namespace

result<std::string> text_of_line(const std::string& line) {
  const auto object = object_of(line);
  if (!object) return object.error();
  const auto text = object->find("text");
  if (text == object->end() || !text->is_string())
    return rejected("this line has no \"text\" that is a string");
  return text->get<std::string>();
}

result<token_ids> ids_of_line(const std::string& line) {
  const auto object = object_of(line);
  if (!object) return object.error();
  const auto ids = object->find("ids");
  if (ids == object->end()) return rejected("this line has no \"ids\"");
  return ids_of(*ids, "ids");
}

result<scored_line> scored_line_of(const std::string& line) {
  const auto object = object_of(line);
  if (!object) return object.error();
  const auto segments = object->find("segments");
  const auto ids = object->find("ids");
  if ((segments == object->end()) == (ids == object->end()))
    return rejected("a line has either \"segments\" or \"ids\"");
  scored_line scored;
  scored.has_ids = ids != object->end();
  const auto& list = scored.has_ids ? *ids : *segments;
  if (!list.is_array())
    return rejected(scored.has_ids ? "\"ids\" is no list of lists of token ids"
                                   : "\"segments\" is no list");
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (scored.has_ids) {
      auto one = ids_of(list[i], "ids[" + std::to_string(i) + "]");
      if (!one) return one.error();
      scored.ids.push_back(std::move(*one));
    } else {
      auto one = segment_of(list[i], i);
      if (!one) return one.error();
      scored.segments.push_back(std::move(*one));
    }
  }
  return scored;
}

}  // namespace weft::actors
