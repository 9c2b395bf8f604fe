// Short ways to write the values of the cluster's decisions in tests.
#pragma once

#include <random>

#include "policies/vocabulary/entry_key.hpp"
#include "policies/vocabulary/instant.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/request_id.hpp"

namespace weft {

// The same number gives the same key. Requires: below 256.
inline entry_key key_of(unsigned number) {
  entry_key key;
  key.bytes[0] = static_cast<std::byte>(number);
  return key;
}

// Of one gateway.
constexpr request_id request_of(std::uint64_t number) {
  return {.gateway = {.bits = 1}, .number = number};
}

inline instant at_ms(std::int64_t milliseconds) { return std::chrono::milliseconds(milliseconds); }

// A number from 0 to bound - 1. The same for one seed on every machine, unlike the standard
// library's distributions.
inline unsigned below(std::mt19937& random, unsigned bound) {
  return static_cast<unsigned>(random() % bound);
}

inline bool chance(std::mt19937& random, unsigned percent) { return below(random, 100) < percent; }

}  // namespace weft
