// A secret of 256 random bits: whoever shows it on the data channel may do the one thing that it
// was drawn for, fetch an offered entry or open one unencrypted connection. Tickets are never
// logged and never drawn twice.
#pragma once

#include <array>
#include <cstddef>

namespace weft {

inline constexpr std::size_t ticket_bytes = 32;

struct transfer_ticket {
  std::array<std::byte, ticket_bytes> bits{};  // All 0, which is never drawn: no ticket.

  // In a time that does not hang on the bits, so that answers cannot be felt out byte by byte.
  friend bool operator==(const transfer_ticket& one, const transfer_ticket& other) {
    std::byte differing{};
    for (std::size_t index = 0; index < ticket_bytes; ++index)
      differing |= one.bits[index] ^ other.bits[index];
    return differing == std::byte{};
  }
};

}  // namespace weft
