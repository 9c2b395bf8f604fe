// One start of a node: 64 random bits, drawn when the process begins. A node that comes back under
// its name has another incarnation, so nobody credits it with what its predecessor held or asked.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace weft {

struct incarnation {
  std::uint64_t bits = 0;  // 0 is never drawn: it stands for none.

  friend auto operator<=>(const incarnation&, const incarnation&) = default;
};

}  // namespace weft

// Random bits are their own hash.
template <>
struct std::hash<weft::incarnation> {
  std::size_t operator()(const weft::incarnation& which) const noexcept {
    return static_cast<std::size_t>(which.bits);
  }
};
