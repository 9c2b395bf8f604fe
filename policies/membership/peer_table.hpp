// Which nodes there are, what each does, and whether it lives: what one node knows of its peers.
//
// A value. A peer says hello, and lives from its first heartbeat on; the caller is told what
// changed. Silence for silence_max is death. Each name has one life that counts, the one whose
// hello came last. Incarnations have no order, so lives that ended are remembered, and whatever
// still comes from them is ignored:
//
//   nothing -- hello --> joining -- heartbeat --> live -- heartbeat that says so --> draining
//   any of these -- silence --> dead, -- goodbye --> left, -- hello of a new life --> joining
//   dead -- hello of the same life --> joining, then live with a heartbeat newer than all before
//
// A life that left or was replaced never comes back. There is no way from draining back to live but
// a new life.
//
// Memory: peers_max names, and of each the last former_max lives that ended. For a new name the
// dead or left peer that was heard longest ago is dropped; without one its hello is refused.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "policies/membership/heartbeat.hpp"
#include "policies/membership/peer_event.hpp"
#include "policies/vocabulary/instant.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/node_role.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft {

struct peer_limits {
  std::size_t peers_max = 256;
  // Messages of a life are under way for seconds; nobody restarts eight times in those.
  std::size_t former_max = 8;
};

enum class peer_state : std::uint8_t { joining, live, draining, dead, left };

std::string_view name_of(peer_state state);

struct peer {
  node_life node;
  role_set roles;
  peer_state state = peer_state::joining;
  instant heard_at = {};            // The last heartbeat that counted, or the first hello.
  std::uint64_t last_sequence = 0;  // Of that heartbeat; 0: none yet.

  friend bool operator==(const peer&, const peer&) = default;
};

enum class heard : std::uint8_t {
  taken,
  ignored,  // a life that ended, or words said before others that were heard already
  unknown,  // nobody said hello with this life, or it was given up: ask it to say hello
};

struct peer_news {
  heard verdict = heard::taken;
  std::vector<peer_event> events;

  friend bool operator==(const peer_news&, const peer_news&) = default;
};

class peer_table {
 public:
  explicit peer_table(peer_limits limits = {}) : limits_(limits) {}

  // `allowed`: the roles that the sender's certificate gives it; its name must be the certificate's
  // too, which the caller checks. Said again by a life that counts, it may change roles. Failures
  // change nothing: `rejected` when it claims more roles than allowed, `overloaded` when there are
  // peers_max others that live.
  result<peer_news> hear_hello(const node_life& node, const role_set& roles,
                               const role_set& allowed, instant now);
  peer_news hear_heartbeat(const heartbeat& beat, instant now);
  peer_news hear_goodbye(const node_life& node);

  // Gives up who has been silent for silence_max, by name.
  std::vector<peer_event> give_up_silent(instant now);

  // When the next one would be given up. Nullopt: nobody is expected to speak.
  std::optional<instant> next_silence() const;

  // Null: no such name. Lives until the next change.
  const peer* find(const node_name& name) const;

  // All peers that live, draining ones too, by name.
  std::vector<peer> living() const;

  std::size_t known() const { return peers_.size(); }  // In whatever state.

 private:
  struct known_peer {
    peer facts;
    std::deque<incarnation> former;  // Incarnations that ended for good, the oldest first.
  };

  bool make_room();
  void begin_life(known_peer& known, const node_life& node, const role_set& roles, instant now);
  void retire(known_peer& known);

  peer_limits limits_;
  std::map<node_name, known_peer> peers_;
};

}  // namespace weft
