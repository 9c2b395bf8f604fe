// What a worker tells of its entries: one change, and a numbered run of changes.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/vocabulary/entry_key.hpp"

namespace weft {

enum class entry_change : std::uint8_t {
  inserted,
  evicted,
  invalid,  // was found damaged and is gone
};

struct entry_facts {
  std::int64_t tokens = 0;  // That it saves where it is spliced.
  std::int64_t bytes = 0;   // That move when it moves.

  friend bool operator==(const entry_facts&, const entry_facts&) = default;
};

struct entry_event {
  entry_change change = entry_change::inserted;
  entry_key key;
  entry_facts facts = {};  // Read for insertions only.

  friend bool operator==(const entry_event&, const entry_event&) = default;
};

// Events of one life of a worker, numbered without holes: the first of its life has number 0.
struct event_run {
  std::uint64_t first_sequence = 0;
  std::vector<entry_event> events;

  friend bool operator==(const event_run&, const event_run&) = default;
};

struct known_entry {
  entry_key key;
  entry_facts facts = {};

  friend bool operator==(const known_entry&, const known_entry&) = default;
};

// All that a worker holds. Order has no meaning.
struct entry_snapshot {
  std::uint64_t next_sequence = 0;  // Of the first event that it does not contain.
  std::vector<known_entry> entries;
};

}  // namespace weft
