// The name of a node: what its certificate or its configuration calls it. It outlives restarts; one
// start of a node is a `node_life`.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft {

// The longest common name that an X.509 certificate may hold (RFC 5280, ub-common-name).
inline constexpr std::size_t node_name_bytes_max = 64;

struct node_name {
  std::string text;  // Empty: no node.

  friend auto operator<=>(const node_name&, const node_name&) = default;
};

// True for 1 to 64 letters, digits, '-', '_' and '.' of ASCII: what can stand in a log, a metric's
// label, a file name and a URL as it is.
bool is_node_name(std::string_view text);

// The node of that name, or `rejected`.
result<node_name> parse_node_name(std::string_view text);

}  // namespace weft

template <>
struct std::hash<weft::node_name> {
  std::size_t operator()(const weft::node_name& name) const noexcept {
    return std::hash<std::string>{}(name.text);
  }
};
