#include "policies/directory/event_log.hpp"

#include <catch2/catch.hpp>

#include "tests/policies/cluster_values.hpp"

namespace weft {
namespace {

entry_event insertion(unsigned number) {
  return {.change = entry_change::inserted, .key = key_of(number), .facts = {.tokens = 1}};
}

event_log log_of(std::size_t events_max, unsigned events) {
  event_log log(events_max);
  for (unsigned number = 0; number < events; ++number)
    REQUIRE(log.append(insertion(number)) == number);
  return log;
}

}  // namespace

TEST_CASE("events are numbered from 0 and told again from any of the last ones",
          "[policies][event_log]") {
  const event_log log = log_of(3, 5);
  CHECK(log.next_sequence() == 5);
  CHECK(log.replay_from(2) ==
        event_run{.first_sequence = 2, .events = {insertion(2), insertion(3), insertion(4)}});
  CHECK(log.replay_from(4) == event_run{.first_sequence = 4, .events = {insertion(4)}});
  CHECK(log.replay_from(5) == event_run{.first_sequence = 5, .events = {}});
}

TEST_CASE("what was forgotten or never happened asks for a snapshot", "[policies][event_log]") {
  const event_log log = log_of(3, 5);
  CHECK_FALSE(log.replay_from(1).has_value());
  CHECK_FALSE(log.replay_from(0).has_value());
  CHECK_FALSE(log.replay_from(6).has_value());
  CHECK_FALSE(log.replay_from(~std::uint64_t{0}).has_value());
}

TEST_CASE("a log without events replays nothing from 0", "[policies][event_log]") {
  const event_log log(1);
  CHECK(log.replay_from(0) == event_run{});
  CHECK_FALSE(log.replay_from(1).has_value());
}

}  // namespace weft
