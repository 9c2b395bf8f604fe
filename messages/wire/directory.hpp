// What workers tell the router of their entries and their load, as values. What each field means,
// who chooses it and how long it holds stands in directory.capnp; directory_codec.hpp turns values
// into bytes.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "policies/cost/cost_model.hpp"
#include "policies/eviction/cache_units.hpp"
#include "policies/vocabulary/entry_key.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::messages::directory {

struct held_entry {
  entry_key key = {};
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;

  friend bool operator==(const held_entry&, const held_entry&) = default;
};

enum class entry_change : std::uint8_t { inserted, evicted, invalid };

struct entry_event {
  entry_change change = entry_change::inserted;
  held_entry entry = {};  // Sizes of an insertion only.

  friend bool operator==(const entry_event&, const entry_event&) = default;
};

struct entries_changed {
  node_life worker = {};
  std::uint64_t first_sequence = 1;
  std::vector<entry_event> events = {};

  friend bool operator==(const entries_changed&, const entries_changed&) = default;
};

struct replay_request {
  node_life worker = {};
  std::uint64_t from_sequence = 1;

  friend bool operator==(const replay_request&, const replay_request&) = default;
};

struct snapshot_request {
  node_life worker = {};

  friend bool operator==(const snapshot_request&, const snapshot_request&) = default;
};

struct snapshot {
  node_life worker = {};
  std::uint64_t sequence = 0;  // 0: nothing ever happened.
  std::int64_t part = 0;
  bool is_last = true;
  std::vector<held_entry> entries = {};

  friend bool operator==(const snapshot&, const snapshot&) = default;
};

struct load_report {
  node_life worker = {};
  double queued_ms = 0;
  std::int64_t running = 0;
  std::int64_t waiting = 0;
  cache_units free = {};
  cache_units total = {};
  cost_coefficients cost = {};

  friend bool operator==(const load_report&, const load_report&) = default;
};

using message =
    std::variant<entries_changed, replay_request, snapshot_request, snapshot, load_report>;

// `rejected`, naming the field, unless every field is within bounds.hpp and means something.
status check(const message& what);

}  // namespace weft::messages::directory
