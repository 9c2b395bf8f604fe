// JSON from outside, parsed within bounds. Errors say where; the caller puts the file's name first.
//
// Only .cpp files include the JSON library itself; this header needs its forward declarations.
// Pure functions; any thread. No exception leaves them.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// The value that `text` holds (nested at most json_depth_max), or `rejected` with line and column
// of what is wrong with it.
result<nlohmann::json> parse_json(std::string_view text);

// "a string", "an object", ...: what `value` is, for messages.
std::string_view kind_of(const nlohmann::json& value);

// `rejected` if `object` is not an object or has a key that is not among `known`; `where` names the
// object in the message ("" for a whole file).
status check_keys(const nlohmann::json& object, std::initializer_list<std::string_view> known,
                  std::string_view where);

// "`field` must be `wanted`, but is a number".
failure wrong_kind(std::string_view field, std::string_view wanted, const nlohmann::json& value);

}  // namespace weft::messages
