#include "messages/prompt/json_text.hpp"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "messages/prompt/utf8.hpp"
#include "policies/vocabulary/json_nesting.hpp"

namespace weft::messages {

result<nlohmann::json> parse_json(std::string_view text) {
  if (const std::string complaint = json_complaint(text); !complaint.empty())
    return rejected("the JSON " + complaint);
  try {
    return nlohmann::json::parse(text);
  } catch (const nlohmann::json::exception& error) {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: ..."
    std::string_view what = error.what();
    const std::size_t bracket = what.find("] ");
    if (bracket != std::string_view::npos) what.remove_prefix(bracket + 2);
    std::string repaired;
    append_repaired(repaired, what);
    return rejected("the JSON is broken: " + repaired);
  }
}

std::string_view kind_of(const nlohmann::json& value) {
  switch (value.type()) {
    case nlohmann::json::value_t::null: return "null";
    case nlohmann::json::value_t::object: return "an object";
    case nlohmann::json::value_t::array: return "an array";
    case nlohmann::json::value_t::string: return "a string";
    case nlohmann::json::value_t::boolean: return "true or false";
    case nlohmann::json::value_t::number_integer:
    case nlohmann::json::value_t::number_unsigned:
    case nlohmann::json::value_t::number_float: return "a number";
    default: return "something else";
  }
}

status check_keys(const nlohmann::json& object, std::initializer_list<std::string_view> known,
                  std::string_view where) {
  if (!object.is_object())
    return wrong_kind(where.empty() ? "the file" : where, "an object", object);
  for (const auto& item : object.items()) {
    if (std::find(known.begin(), known.end(), item.key()) != known.end()) continue;
    std::string message = "unknown key " + in_quotes(item.key());
    if (!where.empty()) message.append(" in ").append(where);
    message += "; known are";
    std::string_view comma = " ";
    for (const std::string_view key : known) {
      message.append(comma).append(key);
      comma = ", ";
    }
    return rejected(std::move(message));
  }
  return {};
}

failure wrong_kind(std::string_view field, std::string_view wanted, const nlohmann::json& value) {
  return rejected(std::string(field) + " must be " + std::string(wanted) + ", but is " +
                  std::string(kind_of(value)));
}

}  // namespace weft::messages
