#include "policies/vocabulary/json_nesting.hpp"

#include <algorithm>

namespace weft {

std::size_t json_nesting(std::string_view text) {
  std::size_t depth = 0;
  std::size_t deepest = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char byte = text[i];
    if (in_string) {
      if (byte == '\\') ++i;
      if (byte == '"') in_string = false;
    } else if (byte == '"') {
      in_string = true;
    } else if (byte == '{' || byte == '[') {
      deepest = std::max(deepest, ++depth);
    } else if ((byte == '}' || byte == ']') && depth > 0) {
      --depth;
    }
  }
  return deepest;
}

std::string json_complaint(std::string_view text) {
  if (text.find('\0') != std::string_view::npos) return "holds a byte 0";
  if (json_nesting(text) > json_depth_max)
    return "nests deeper than " + std::to_string(json_depth_max) + " levels";
  return "";
}

}  // namespace weft
