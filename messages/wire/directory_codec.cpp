#include "messages/wire/directory_codec.hpp"

#include "messages/wire/bounds.hpp"
#include "messages/wire/codec_border.hpp"
#include "messages/wire/common_codec.hpp"
#include "messages/wire/directory.capnp.h"

namespace weft::messages::directory {

namespace {

using change_row = enumerant<schema::EntryChange, entry_change>;
constexpr std::array changes = {change_row{schema::EntryChange::INSERTED, entry_change::inserted},
                                change_row{schema::EntryChange::EVICTED, entry_change::evicted},
                                change_row{schema::EntryChange::INVALID, entry_change::invalid}};

// Words of one entry or event in its list: sizes, key's pointer, key.
constexpr std::size_t entry_words = 7;

// HeldEntry and EntryEvent share these fields.
template <class Struct>
void write_entry(Struct out, const held_entry& from) {
  out.setTokens(static_cast<std::uint32_t>(from.tokens));
  out.setBytes(static_cast<std::uint64_t>(from.bytes));
  out.setKey(bits_out(from.key.bytes));
}

template <class Struct>
held_entry read_entry(Struct in, field_check& fields, std::string_view field) {
  return {.key = {bits_in(in.getKey(), fields, field)},
          .tokens = in.getTokens(),
          .bytes = static_cast<std::int64_t>(in.getBytes())};
}

// One overload per message, as std::visit wants it.
struct writer {
  schema::Directory::Builder root;

  void operator()(const entries_changed& from) {
    auto out = root.initEntriesChanged();
    write(out.initWorker(), from.worker);
    out.setFirstSequence(from.first_sequence);
    auto events = out.initEvents(static_cast<unsigned>(from.events.size()));
    for (unsigned i = 0; i < events.size(); ++i) {
      events[i].setChange(to_wire(changes, from.events[i].change));
      write_entry(events[i], from.events[i].entry);
    }
  }

  void operator()(const replay_request& from) {
    auto out = root.initReplayRequest();
    write(out.initWorker(), from.worker);
    out.setFromSequence(from.from_sequence);
  }

  void operator()(const snapshot_request& from) {
    write(root.initSnapshotRequest().initWorker(), from.worker);
  }

  void operator()(const snapshot& from) {
    auto out = root.initSnapshot();
    write(out.initWorker(), from.worker);
    out.setSequence(from.sequence);
    out.setPart(static_cast<std::uint32_t>(from.part));
    out.setIsLast(from.is_last);
    auto entries = out.initEntries(static_cast<unsigned>(from.entries.size()));
    for (unsigned i = 0; i < entries.size(); ++i) write_entry(entries[i], from.entries[i]);
  }

  void operator()(const load_report& from) {
    auto out = root.initLoadReport();
    write(out.initWorker(), from.worker);
    out.setQueuedMs(from.queued_ms);
    out.setRunning(static_cast<std::uint32_t>(from.running));
    out.setWaiting(static_cast<std::uint32_t>(from.waiting));
    write(out.initFree(), from.free);
    write(out.initTotal(), from.total);
    out.setTokenMs(from.cost.token_ms);
    out.setPairMs(from.cost.pair_ms);
  }
};

entries_changed read_changes(schema::EntriesChanged::Reader in, field_check& fields) {
  const auto read_event = [&](schema::EntryEvent::Reader one) {
    return entry_event{
        .change = from_wire(changes, one.getChange(), fields, "entriesChanged.events.change"),
        .entry = read_entry(one, fields, "entriesChanged.events.key")};
  };
  return {
      .worker = read(in.getWorker(), fields, "entriesChanged.worker"),
      .first_sequence = in.getFirstSequence(),
      .events = list_in(in.getEvents(), entries_max, fields, "entriesChanged.events", read_event)};
}

snapshot read_snapshot(schema::Snapshot::Reader in, field_check& fields) {
  const auto read_held = [&](schema::HeldEntry::Reader one) {
    return read_entry(one, fields, "snapshot.entries.key");
  };
  return {.worker = read(in.getWorker(), fields, "snapshot.worker"),
          .sequence = in.getSequence(),
          .part = in.getPart(),
          .is_last = in.getIsLast(),
          .entries = list_in(in.getEntries(), entries_max, fields, "snapshot.entries", read_held)};
}

load_report read_load(schema::LoadReport::Reader in, field_check& fields) {
  return {.worker = read(in.getWorker(), fields, "loadReport.worker"),
          .queued_ms = in.getQueuedMs(),
          .running = in.getRunning(),
          .waiting = in.getWaiting(),
          .free = read(in.getFree()),
          .total = read(in.getTotal()),
          .cost = {.token_ms = in.getTokenMs(), .pair_ms = in.getPairMs()}};
}

message read_message(schema::Directory::Reader root, field_check& fields) {
  switch (root.which()) {
    case schema::Directory::ENTRIES_CHANGED: return read_changes(root.getEntriesChanged(), fields);
    case schema::Directory::REPLAY_REQUEST: {
      const auto in = root.getReplayRequest();
      return replay_request{.worker = read(in.getWorker(), fields, "replayRequest.worker"),
                            .from_sequence = in.getFromSequence()};
    }
    case schema::Directory::SNAPSHOT_REQUEST:
      return snapshot_request{
          .worker = read(root.getSnapshotRequest().getWorker(), fields, "snapshotRequest.worker")};
    case schema::Directory::SNAPSHOT: return read_snapshot(root.getSnapshot(), fields);
    case schema::Directory::LOAD_REPORT: return read_load(root.getLoadReport(), fields);
    default: break;  // Of a newer build.
  }
  fields.demand(false, "the message", "is of a kind that this build does not know");
  return {};
}

std::size_t entries_of(const message& what) {
  if (const auto* changed = std::get_if<entries_changed>(&what)) return changed->events.size();
  if (const auto* all = std::get_if<snapshot>(&what)) return all->entries.size();
  return 0;
}

}  // namespace

result<envelope> encode(const message& what) {
  const status fits = check(what);
  if (!fits.ok()) return fits.error();
  return pack<schema::Directory>(schema_id::directory, 64 + entry_words * entries_of(what),
                                 [&](auto root) { std::visit(writer{root}, what); });
}

result<message> decode(const envelope& from) {
  return unpack<message, schema::Directory>(schema_id::directory, from, read_message);
}

}  // namespace weft::messages::directory
