// What supervisors tell each other, as values. What each field means, who chooses it and how long
// it holds stands in membership.capnp; membership_codec.hpp turns values into bytes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "policies/vocabulary/endpoint.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/node_role.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::messages::membership {

struct hello {
  node_life node = {};
  role_set roles = {};
  std::string numerics_id = {};
  std::string model_fingerprint = {};
  endpoint control = {};
  endpoint data = {};

  friend bool operator==(const hello&, const hello&) = default;
};

struct heartbeat {
  node_life node = {};
  std::uint64_t sequence = 0;
  bool draining = false;

  friend bool operator==(const heartbeat&, const heartbeat&) = default;
};

enum class goodbye_reason : std::uint8_t { drained, stopped, broken };

struct goodbye {
  node_life node = {};
  goodbye_reason reason = goodbye_reason::stopped;

  friend bool operator==(const goodbye&, const goodbye&) = default;
};

struct drain {
  node_life node = {};

  friend bool operator==(const drain&, const drain&) = default;
};

struct status_request {
  std::uint64_t number = 0;

  friend bool operator==(const status_request&, const status_request&) = default;
};

enum class peer_state : std::uint8_t { joining, alive, suspected, draining, gone };

struct peer {
  node_life node = {};
  peer_state state = peer_state::joining;

  friend bool operator==(const peer&, const peer&) = default;
};

// Units of a pool by owner; every unit is in one class.
struct pool_counts {
  std::int64_t free = 0;
  std::int64_t cached = 0;
  std::int64_t pinned = 0;
  std::int64_t in_flight = 0;
  std::int64_t quarantined = 0;

  std::int64_t total() const { return free + cached + pinned + in_flight + quarantined; }

  friend bool operator==(const pool_counts&, const pool_counts&) = default;
};

struct node_status {
  node_life node = {};
  role_set roles = {};
  std::string numerics_id = {};
  bool draining = false;
  std::vector<peer> peers = {};
  pool_counts slots = {};
  pool_counts pages = {};
  pool_counts staging = {};

  friend bool operator==(const node_status&, const node_status&) = default;
};

struct status_report {
  std::uint64_t number = 0;
  std::vector<node_status> nodes = {};

  friend bool operator==(const status_report&, const status_report&) = default;
};

using message = std::variant<hello, heartbeat, goodbye, drain, status_request, status_report>;

// `rejected`, naming the field, unless every field is within bounds.hpp and means something.
status check(const message& what);

}  // namespace weft::messages::membership
