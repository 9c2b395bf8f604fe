// How much an entry was used lately: its uses, each worth half as much with every half-life since.
//
// Uses alone would keep an old favourite for ever; the last use alone forgets what many requests
// ask for as soon as one long request passes. Time is a count of uses of the whole cache, so that a
// cache that nobody asks does not age, and no clock is read. It goes in epochs of one half-life: a
// use in this epoch counts 1, in the one before 1/2, and so on. Halvings are exact in binary and
// all entries are halved at once, so no order between entries hangs on rounding or on when one
// looks.
#pragma once

#include <cstdint>

namespace weft {

struct reuse {
  double weight = 0;        // As of `epoch`. At most twice the uses of the busiest epoch.
  std::uint64_t epoch = 0;  // Of the last use.

  friend bool operator==(const reuse&, const reuse&) = default;
};

// What `past` is worth at `now`. Requires: half_life is positive; now is not before the last use.
double reuse_at(const reuse& past, std::uint64_t now, std::uint64_t half_life);

// `past` and one use at `now`. Requires: likewise.
reuse used_again(const reuse& past, std::uint64_t now, std::uint64_t half_life);

}  // namespace weft
