// What a node says to show that it lives, how often, and when its silence counts as death.
#pragma once

#include <cstdint>

#include "policies/vocabulary/instant.hpp"
#include "policies/vocabulary/node_life.hpp"

namespace weft {

// The actor library's own detector takes tens of seconds; a client waits for two at most.
inline constexpr duration heartbeat_every = std::chrono::milliseconds(500);
// Four heartbeats: one may be lost and one late without anybody being given up.
inline constexpr duration silence_max = std::chrono::seconds(2);

struct heartbeat {
  node_life node;
  std::uint64_t sequence = 0;  // From 1 in each life, always rising.
  bool draining = false;
};

}  // namespace weft
