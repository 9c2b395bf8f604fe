// How often a node says that it lives, and when its silence counts as death.
#pragma once

#include "policies/vocabulary/instant.hpp"

namespace weft {

// The actor library's own detector takes tens of seconds; a client waits for two at most.
inline constexpr duration heartbeat_every = std::chrono::milliseconds(500);
// Four heartbeats: one may be lost and one late without anybody being given up.
inline constexpr duration silence_max = std::chrono::seconds(2);

}  // namespace weft
