// A worker's side of the directory: numbers what happens to its entries and can tell it again.
//
// A value, kept by the one who owns the entries. It remembers the last `events_max` events; who
// asks for older ones gets a snapshot instead, which the owner makes of the entries themselves.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "policies/directory/entry_event.hpp"

namespace weft {

class event_log {
 public:
  // Requires: events_max > 0.
  explicit event_log(std::size_t events_max);

  // Returns the event's number: 0 for the first, then one more each.
  std::uint64_t append(const entry_event& event);

  // The number that the next event will get; a snapshot taken now carries it.
  std::uint64_t next_sequence() const { return next_sequence_; }

  // All events from `sequence` on; none when that is the next one. Nullopt: they are not remembered
  // any more, or `sequence` has not been given out (the asker means another life): a snapshot must
  // answer.
  std::optional<event_run> replay_from(std::uint64_t sequence) const;

 private:
  std::size_t events_max_;
  std::uint64_t next_sequence_ = 0;
  std::deque<entry_event> last_;  // The numbers up to next_sequence_.
};

}  // namespace weft
