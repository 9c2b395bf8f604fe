@0xb533bcabf530e051;
# Segment cache to router and back: which worker holds which entries, and how busy it is.
# Conversation 2 of an envelope.
#
# A worker numbers its changes from 1 within its life. The router applies them in order; a gap makes
# it ask for a replay, and when that is no longer at hand, for a snapshot. A worker speaks for
# itself alone. The directory is a hint: only a lease at the holder is a promise.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("weft::messages::schema");

using Common = import "common.capnp";

struct Directory {
  union {
    entriesChanged @0 :EntriesChanged;
    replayRequest @1 :ReplayRequest;
    snapshotRequest @2 :SnapshotRequest;
    snapshot @3 :Snapshot;
    loadReport @4 :LoadReport;
  }
}

struct EntriesChanged {
  # Worker to router, unasked or as a replay. Applying an event twice does no harm.
  worker @0 :Common.NodeLife;
  firstSequence @1 :UInt64;  # Of events[0]; each later event has one more.
  events @2 :List(EntryEvent);
}

enum EntryChange {
  inserted @0;  # Complete and usable.
  evicted @1;   # Given up for room.
  invalid @2;   # Found damaged; must not be used.
}

struct EntryEvent {
  change @0 :EntryChange;
  tokens @1 :UInt32;  # Stored tokens; for an insertion only.
  bytes @2 :UInt64;   # What a transfer of it would carry; for an insertion only.
  key @3 :Data;       # 32 bytes.
}

struct ReplayRequest {
  # Router to worker: events from here on are missing. Answered by EntriesChanged, or by a Snapshot
  # where the worker no longer has them.
  worker @0 :Common.NodeLife;  # Whom the router means; another life ignores it.
  fromSequence @1 :UInt64;
}

struct SnapshotRequest {
  # Router to worker: say all that you hold.
  worker @0 :Common.NodeLife;
}

struct Snapshot {
  # Worker to router: all that it holds, in as many parts as messages allow. The parts of one
  # snapshot come in order and replace what the router believed once the last one is there.
  worker @0 :Common.NodeLife;
  sequence @1 :UInt64;  # Of the last event that it contains; the next one is one more.
  part @2 :UInt32;      # From 0.
  isLast @3 :Bool;
  entries @4 :List(HeldEntry);
}

struct HeldEntry {
  tokens @0 :UInt32;  # Stored tokens.
  bytes @1 :UInt64;   # What a transfer of it would carry.
  key @2 :Data;       # 32 bytes.
}

struct LoadReport {
  # Worker to router, at a steady pace and when much changed. The newest one counts.
  worker @0 :Common.NodeLife;
  queuedMs @1 :Float64;          # Predicted time of the work that waits; finite, not negative.
  running @2 :UInt32;            # Requests in steps.
  waiting @3 :UInt32;            # Requests admitted to the queue and not started.
  free @4 :Common.CacheUnits;    # Free, or evictable without harm to a promise.
  total @5 :Common.CacheUnits;   # The pools' sizes, for its life.
  tokenMs @6 :Float64;           # Cost of a token, as measured so far; finite, not negative.
  pairMs @7 :Float64;            # Cost of a pair of tokens in attention; likewise.
}
