// A request's name in the cluster: which life of which gateway took it in, and its number there.
// Never used twice; a gateway that starts anew counts under another incarnation.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "policies/vocabulary/incarnation.hpp"

namespace weft {

struct request_id {
  incarnation gateway;
  std::uint64_t number = 0;  // From 1, in order of arrival at the gateway.

  friend auto operator<=>(const request_id&, const request_id&) = default;
};

}  // namespace weft

template <>
struct std::hash<weft::request_id> {
  std::size_t operator()(const weft::request_id& id) const noexcept {
    // An odd multiplier (of the golden ratio) spreads numbers that follow one another.
    return std::hash<weft::incarnation>{}(id.gateway) ^ (id.number * 0x9E3779B97F4A7C15U);
  }
};
