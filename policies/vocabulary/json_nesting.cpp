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

}  // namespace weft
