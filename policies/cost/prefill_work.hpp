// How much prefill there is to do, in the two quantities that its time grows with.
//
// n tokens cost a * n for matrix products and recurrences and b * n^2 for attention, where every
// token meets all before it. Work adds up: a set of segments is the sum of its segments.
#pragma once

#include <cstdint>

namespace weft {

struct prefill_work {
  double tokens = 0;
  double pairs = 0;  // (before + n)^2 - before^2 of each run: twice the keys that its tokens meet.

  friend bool operator==(const prefill_work&, const prefill_work&) = default;
  prefill_work& operator+=(const prefill_work& other) {
    tokens += other.tokens;
    pairs += other.pairs;
    return *this;
  }
};

// Of `tokens` that run in a sequence behind `before` others. Requires: neither is negative.
constexpr prefill_work work_of(std::int64_t tokens, std::int64_t before = 0) {
  const auto count = static_cast<double>(tokens);
  return {.tokens = count, .pairs = count * (count + 2 * static_cast<double>(before))};
}

}  // namespace weft
