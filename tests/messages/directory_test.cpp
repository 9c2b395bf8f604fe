#include "messages/wire/directory.hpp"

#include <limits>

#include "messages/wire/bounds.hpp"
#include "tests/messages/wire_refusals.hpp"

namespace weft::messages::directory {

using test::check_refused;

TEST_CASE("changes are numbered from 1 and never past the last number", "[messages][directory]") {
  const std::uint64_t last = std::numeric_limits<std::uint64_t>::max();
  check_refused<entries_changed>(
      "directory.entries_changed",
      {{"entriesChanged.worker", [](entries_changed& m) { m.worker = {}; }},
       {"entriesChanged.firstSequence", [](entries_changed& m) { m.first_sequence = 0; }},
       {"entriesChanged.firstSequence", [&](entries_changed& m) { m.first_sequence = last - 2; }},
       {"entriesChanged.events has",
        [](entries_changed& m) { m.events.resize(entries_max + 1); }}});
  auto edge = test::sample_of<entries_changed>("directory.entries_changed");
  edge.first_sequence = last - 3;
  CHECK(check(edge).ok());
  check_refused<replay_request>(
      "directory.replay_request",
      {{"replayRequest.worker", [](replay_request& m) { m.worker.life = {}; }},
       {"replayRequest.fromSequence", [](replay_request& m) { m.from_sequence = 0; }}});
  check_refused<snapshot>("directory.snapshot",
                          {{"snapshot.sequence", [&](snapshot& m) { m.sequence = last; }}});
}

TEST_CASE("entries have sizes within bounds", "[messages][directory]") {
  check_refused<snapshot>(
      "directory.snapshot",
      {{"snapshot.worker", [](snapshot& m) { m.worker.node = {}; }},
       {"snapshot.part", [](snapshot& m) { m.part = -1; }},
       {"snapshot.entries is -1", [](snapshot& m) { m.entries[1].tokens = -1; }},
       {"snapshot.entries is", [](snapshot& m) { m.entries[0].tokens = prompt_tokens_max + 1; }},
       {"snapshot.entries is -1", [](snapshot& m) { m.entries[0].bytes = -1; }},
       {"snapshot.entries is", [](snapshot& m) { m.entries[0].bytes = transfer_bytes_max + 1; }},
       {"snapshot.entries has", [](snapshot& m) { m.entries.resize(entries_max + 1); }}});
  check_refused<entries_changed>(
      "directory.entries_changed",
      {{"entriesChanged.events", [](entries_changed& m) { m.events[2].entry.bytes = -1; }}});
  check_refused<snapshot_request>(
      "directory.snapshot_request",
      {{"snapshotRequest.worker", [](snapshot_request& m) { m.worker = {}; }}});
}

TEST_CASE("a load is finite, not negative, and no more is free than there is",
          "[messages][directory]") {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  check_refused<load_report>(
      "directory.load_report",
      {{"loadReport.worker", [](load_report& m) { m.worker = {}; }},
       {"loadReport.queuedMs", [&](load_report& m) { m.queued_ms = nan; }},
       {"loadReport.tokenMs", [](load_report& m) { m.cost.token_ms = -1; }},
       {"loadReport.pairMs", [&](load_report& m) { m.cost.pair_ms = 1 / 0.0; }},
       {"loadReport.running", [](load_report& m) { m.running = -1; }},
       {"loadReport.waiting", [](load_report& m) { m.waiting = count_max + 1; }},
       {"loadReport.free", [](load_report& m) { m.free.pages = m.total.pages + 1; }},
       {"loadReport.free", [](load_report& m) { m.free.state_slots = -1; }},
       {"loadReport.total", [](load_report& m) { m.total.transition_slots = count_max + 1; }}});
}

}  // namespace weft::messages::directory
