// Which request is meant, and which plan of it.
#pragma once

#include <cstdint>

namespace weft {

// 64 random bits, drawn by the gateway that took the request in.
enum class request_id : std::uint64_t {};

// Raised by the router whenever it plans a request anew, from 1; 0 is that of no plan. What belongs
// to an older generation is dropped by everybody.
enum class plan_generation : std::uint32_t {};

constexpr plan_generation next(plan_generation before) {
  return plan_generation{static_cast<std::uint32_t>(before) + 1};
}

}  // namespace weft
