// The right to fetch one entry once: 256 random bits that its holder draws for one offer. Whoever
// shows them on the data channel is served, so they are never logged and never reused.
#pragma once

#include <array>
#include <compare>
#include <cstddef>

namespace weft {

struct transfer_ticket {
  std::array<std::byte, 32> bits{};

  friend auto operator<=>(const transfer_ticket&, const transfer_ticket&) = default;
};

}  // namespace weft
