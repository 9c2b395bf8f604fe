#include "policies/directory/event_log.hpp"

#include "policies/vocabulary/assert.hpp"

namespace weft {

event_log::event_log(std::size_t events_max) : events_max_(events_max) {
  WEFT_ASSERT(events_max > 0);
}

std::uint64_t event_log::append(const entry_event& event) {
  if (last_.size() == events_max_) last_.pop_front();
  last_.push_back(event);
  return next_sequence_++;
}

std::optional<event_run> event_log::replay_from(std::uint64_t sequence) const {
  if (sequence > next_sequence_ || next_sequence_ - sequence > last_.size()) return std::nullopt;
  const auto wanted = static_cast<std::ptrdiff_t>(next_sequence_ - sequence);
  return event_run{.first_sequence = sequence, .events = {last_.end() - wanted, last_.end()}};
}

}  // namespace weft
