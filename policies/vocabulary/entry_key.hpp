// The name of a cached entry: a digest of all that its bits depend on, and of who may see it.
//
// A value that every room may hold, compare and print. How one is computed from a segment stands in
// messages/prompt/key.hpp. Two entries with one key are the same entry, on any node.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft {

struct entry_key {
  std::array<std::byte, 32> bytes{};

  // 64 lower-case digits.
  std::string hex() const;

  friend auto operator<=>(const entry_key&, const entry_key&) = default;
};

// The key that 64 hexadecimal digits write, or `rejected`.
result<entry_key> parse_entry_key(std::string_view hex);

}  // namespace weft

// A digest is its own hash.
template <>
struct std::hash<weft::entry_key> {
  std::size_t operator()(const weft::entry_key& key) const noexcept;
};
