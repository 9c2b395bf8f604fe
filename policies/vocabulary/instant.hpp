// A moment and a span, as decisions get them: passed in, never read from a clock.
#pragma once

#include <chrono>

namespace weft {

// Since an epoch that the caller chooses and keeps to; never goes back. No instant leaves a
// process: what goes over a wire is a duration.
using instant = std::chrono::microseconds;
using duration = std::chrono::microseconds;

// Fractions count: costs are predicted in milliseconds.
constexpr double milliseconds_of(duration span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

}  // namespace weft
