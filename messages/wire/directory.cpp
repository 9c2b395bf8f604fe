#include "messages/wire/directory.hpp"

#include <limits>

#include "messages/wire/bounds.hpp"
#include "messages/wire/field_check.hpp"

namespace weft::messages::directory {

namespace {

// One overload per message, as std::visit wants it.
struct checker {
  field_check& fields;

  void operator()(const entries_changed& what) const {
    fields.life(what.worker, "entriesChanged.worker");
    fields.count(what.events.size(), entries_max, "entriesChanged.events");
    fields.demand(what.first_sequence != 0, "entriesChanged.firstSequence",
                  "is 0; they count from 1");
    // The sequence behind the last event must be a number too.
    fields.demand(
        what.events.size() <= std::numeric_limits<std::uint64_t>::max() - what.first_sequence,
        "entriesChanged.firstSequence", "leaves no numbers for its events");
    for (const entry_event& event : what.events) {
      if (!sizes(event.entry, "entriesChanged.events")) return;
    }
  }

  void operator()(const replay_request& what) const {
    fields.life(what.worker, "replayRequest.worker");
    fields.demand(what.from_sequence != 0, "replayRequest.fromSequence", "is 0; they count from 1");
  }

  void operator()(const snapshot_request& what) const {
    fields.life(what.worker, "snapshotRequest.worker");
  }

  void operator()(const snapshot& what) const {
    fields.life(what.worker, "snapshot.worker");
    fields.demand(what.sequence != std::numeric_limits<std::uint64_t>::max(), "snapshot.sequence",
                  "leaves no number for the next event");
    fields.range(what.part, 0, count_max, "snapshot.part");
    fields.count(what.entries.size(), entries_max, "snapshot.entries");
    for (const held_entry& entry : what.entries) {
      if (!sizes(entry, "snapshot.entries")) return;
    }
  }

  void operator()(const load_report& what) const {
    fields.life(what.worker, "loadReport.worker");
    fields.measure(what.queued_ms, "loadReport.queuedMs");
    fields.range(what.running, 0, count_max, "loadReport.running");
    fields.range(what.waiting, 0, count_max, "loadReport.waiting");
    units(what.free.pages, what.total.pages);
    units(what.free.state_slots, what.total.state_slots);
    units(what.free.transition_slots, what.total.transition_slots);
    fields.measure(what.cost.token_ms, "loadReport.tokenMs");
    fields.measure(what.cost.pair_ms, "loadReport.pairMs");
  }

  bool sizes(const held_entry& entry, std::string_view field) const {
    return fields.range(entry.tokens, 0, prompt_tokens_max, field) &&
           fields.range(entry.bytes, 0, transfer_bytes_max, field);
  }

  void units(std::int64_t free, std::int64_t total) const {
    fields.range(total, 0, count_max, "loadReport.total");
    fields.range(free, 0, total, "loadReport.free");
  }
};

}  // namespace

status check(const message& what) {
  field_check fields("directory");
  std::visit(checker{fields}, what);
  return fields.verdict();
}

}  // namespace weft::messages::directory
