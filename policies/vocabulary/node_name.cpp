#include "policies/vocabulary/node_name.hpp"

#include <algorithm>

namespace weft {

namespace {

// Not std::isalnum, which asks the locale.
bool may_stand(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' || letter == '.';
}

}  // namespace

bool is_node_name(std::string_view text) {
  return !text.empty() && text.size() <= node_name_bytes_max &&
         std::all_of(text.begin(), text.end(), may_stand);
}

result<node_name> parse_node_name(std::string_view text) {
  if (is_node_name(text)) return node_name{std::string(text)};
  return rejected("a node's name has 1 to " + std::to_string(node_name_bytes_max) +
                  " letters, digits, '-', '_' or '.'");
}

}  // namespace weft
