// What changed among a node's peers.
#pragma once

#include <cstdint>

#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/node_role.hpp"

namespace weft {

enum class peer_change : std::uint8_t {
  joined,         // it lives: count on it
  roles_changed,  // it does other things now
  draining,       // nothing new for it
  lost,           // silent for too long
  replaced,       // this life ended: a new one of the same name has said hello
  left,           // it said goodbye
};

// Of one life: first `joined`, then any of the next two, at last one of the last three. A lost life
// that comes back joins again.
struct peer_event {
  peer_change change = peer_change::joined;
  node_life node;  // Of `replaced`: the life that ended.
  role_set roles;  // As of now.

  friend bool operator==(const peer_event&, const peer_event&) = default;
};

constexpr bool ends_a_life(peer_change change) { return change >= peer_change::lost; }

}  // namespace weft
