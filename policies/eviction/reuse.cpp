#include "policies/eviction/reuse.hpp"

#include <algorithm>
#include <cmath>

#include "policies/vocabulary/assert.hpp"

namespace weft {
namespace {

// Fewer halvings than this leave something of a double; more leave nothing anyway.
constexpr std::uint64_t halvings_max = 2000;

}  // namespace

double reuse_at(const reuse& past, std::uint64_t now, std::uint64_t half_life) {
  WEFT_ASSERT(half_life > 0);
  const std::uint64_t epoch = now / half_life;
  WEFT_ASSERT(epoch >= past.epoch);
  const std::uint64_t halvings = std::min(epoch - past.epoch, halvings_max);
  return std::ldexp(past.weight, -static_cast<int>(halvings));
}

reuse used_again(const reuse& past, std::uint64_t now, std::uint64_t half_life) {
  return {.weight = reuse_at(past, now, half_life) + 1, .epoch = now / half_life};
}

}  // namespace weft
