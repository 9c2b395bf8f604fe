// Single flight per key, cluster-wide: which entry is being made, by whom, for whom, who waits.
//
// A value, kept by the router. A flight has an owner, the request whose plan has the entry made;
// a maker, the worker that does it; and waiters, requests that take the entry when it is there.
//
// - The entry is there: the flight ends, and all of them are told.
// - The maker fails or is lost: the owner plans the entry as it would a cold one and claims it with
//   another maker. The others go on waiting.
// - The owner goes (done without it, cancelled, failed): the first waiter becomes the owner, of a
//   flight without a maker, and claims it likewise. It may claim the same maker: asked before it is
//   told to stop for the former owner, that goes on. Without waiters the flight is gone, and the
//   entry is as cold as any.
//
// Memory: flights_max flights of waiters_max waiters. Beyond that a request makes the entry alone:
// twice the work, the same answer.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <vector>

#include "policies/vocabulary/entry_key.hpp"
#include "policies/vocabulary/instant.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/request_id.hpp"

namespace weft {

struct flight_limits {
  std::size_t flights_max = 16'384;
  std::size_t waiters_max = 64;
};

struct flight_maker {
  node_life worker;
  instant ready_at = {};  // As predicted.

  friend bool operator==(const flight_maker&, const flight_maker&) = default;
};

struct flight {
  request_id owner = {};
  std::optional<flight_maker> maker;  // Absent until the owner claims a new one.
  std::vector<request_id> waiters;    // In the order they came; the owner is none.

  friend bool operator==(const flight&, const flight&) = default;
};

enum class flight_role : std::uint8_t {
  make,   // the request owns the flight: its maker makes the entry
  wait,   // another request has it made
  alone,  // no room: the request has it made all the same, and nobody waits for that
};

// A flight that lost its maker or its owner.
struct flight_handover {
  entry_key key;
  std::optional<node_life> stopped;  // A maker that still works for the former owner: to be told.
  std::optional<request_id> next;  // Who must have it made now. Absent: nobody, the flight is gone.

  friend bool operator==(const flight_handover&, const flight_handover&) = default;
};

class flight_board {
 public:
  explicit flight_board(flight_limits limits = {}) : limits_(limits) {}

  // `request` wants the entry made by `maker`. It does so (make) if nobody else has it made, or if
  // the request is the owner, who may change the maker. Else it waits with the others.
  flight_role claim(const entry_key& key, request_id request, const flight_maker& maker);

  // `request` takes the entry of a flight when it is there; once, however often it says so. False:
  // there is no such flight, or waiters_max wait. An owner has nothing to wait for: false.
  bool wait(const entry_key& key, request_id request);

  // The entry is there. Ends the flight; returns its owner, then its waiters. Nullopt: no such
  // flight, or another maker has it (late words of a former one).
  std::optional<std::vector<request_id>> landed(const entry_key& key, const node_life& maker);

  // The maker gave up: the owner is next. Nullopt as above.
  std::optional<flight_handover> failed(const entry_key& key, const node_life& maker);

  // A life of a worker ended: the owners of all that it was making are next, in the order of keys.
  std::vector<flight_handover> lose(const node_life& worker);

  // The request neither waits for the entry nor has it made any more. Nullopt: it was no owner, so
  // nobody is next.
  std::optional<flight_handover> leave(const entry_key& key, request_id request);

  // The request ended: it leaves every flight, in the order of keys.
  std::vector<flight_handover> leave_all(request_id request);

  // Null: the entry is not being made. Lives until the next change.
  const flight* find(const entry_key& key) const;

  std::size_t flights() const { return flights_.size(); }
  std::vector<entry_key> keys_of(request_id request) const;  // Owned or waited for, in order.

 private:
  flight* made_by(const entry_key& key, const node_life& maker);
  void unlink(const entry_key& key, request_id request);

  flight_limits limits_;
  std::unordered_map<entry_key, flight> flights_;
  std::map<request_id, std::set<entry_key>> keys_;  // Of each owner and waiter.
};

// The rest of its making, not below 0. Nullopt: it has no maker now.
std::optional<double> remaining_ms(const flight& flight, instant now);

}  // namespace weft
