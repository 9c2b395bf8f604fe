// Where a listening socket is reached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace weft {

// A DNS name has at most 253 bytes, an address in digits fewer.
inline constexpr std::size_t host_bytes_max = 253;

struct endpoint {
  std::string host;        // Name or address in digits; IPv6 without brackets.
  std::uint16_t port = 0;  // 0: nothing listens.

  friend bool operator==(const endpoint&, const endpoint&) = default;
};

}  // namespace weft
