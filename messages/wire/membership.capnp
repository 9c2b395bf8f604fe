@0x917d183c836c90a4;
# Supervisor to supervisor: who is there, who lives, who leaves. Every node speaks it with every
# other one. Conversation 1 of an envelope.
#
# A node counts as a peer from its hello until its goodbye or until its heartbeats stay away. What
# it says counts for its own life only.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("weft::messages::schema");

using Common = import "common.capnp";

struct Membership {
  union {
    hello @0 :Hello;
    heartbeat @1 :Heartbeat;
    goodbye @2 :Goodbye;
    drain @3 :Drain;
    statusRequest @4 :StatusRequest;
    statusReport @5 :StatusReport;
  }
}

enum Role {
  gateway @0;
  router @1;
  scatter @2;
  combine @3;
}

struct Hello {
  # First message in each direction of a new connection, and again when roles change.
  node @0 :Common.NodeLife;
  roles @1 :List(Role);        # What the node does now, in any order; empty: nothing yet.
  numericsId @2 :Text;         # What its bits hang on, for its life; empty without an engine.
  modelFingerprint @3 :Text;   # Hex digest of the model served, for its life; empty without one.
  control @4 :Common.Endpoint; # Where its actors listen.
  data @5 :Common.Endpoint;    # Where its tensors are fetched; port 0 without an engine.
}

struct Heartbeat {
  # Several times within the span after which silence counts as death.
  node @0 :Common.NodeLife;
  sequence @1 :UInt64;  # Chosen by the node: from 1, one more each time; gaps tell of loss.
  draining @2 :Bool;    # Finishes what it has and takes nothing new, until its life ends.
}

struct Goodbye {
  # Last message of a life that ends on purpose.
  node @0 :Common.NodeLife;
  reason @1 :GoodbyeReason;
}

enum GoodbyeReason {
  drained @0;  # All that it had is finished.
  stopped @1;  # An operator ended it with work left.
  broken @2;   # Its engine or an invariant gave way.
}

struct Drain {
  # An operator's order, passed on by any supervisor. Saying it twice does no more than once.
  node @0 :Common.NodeLife;  # Who shall drain. A later life of the same name is not meant.
}

struct StatusRequest {
  # Asks a supervisor for what it knows of all nodes.
  number @0 :UInt64;  # Chosen by the asker; comes back in the report; means nothing else.
}

struct StatusReport {
  # Answers one StatusRequest, or a part of it where a supervisor speaks for itself alone.
  number @0 :UInt64;            # Of the request.
  nodes @1 :List(NodeStatus);   # At most one of each life.
}

struct NodeStatus {
  # One node as the reporting supervisor saw it when it wrote the report.
  node @0 :Common.NodeLife;
  roles @1 :List(Role);
  numericsId @2 :Text;
  draining @3 :Bool;
  peers @4 :List(Peer);      # Whom that node knows.
  slots @5 :PoolCounts;      # State and transition slots of its engine.
  pages @6 :PoolCounts;      # Key-value pages of its engine.
  staging @7 :PoolCounts;    # Buffers that transfers are pulled into.
}

struct Peer {
  node @0 :Common.NodeLife;
  state @1 :PeerState;
}

enum PeerState {
  joining @0;   # Named in a configuration or by others; no hello yet.
  alive @1;
  suspected @2; # Heartbeats late.
  draining @3;
  gone @4;      # Said goodbye, or silent for too long.
}

struct PoolCounts {
  # Units of a pool by owner. Every unit is in one class; their sum is the pool's size.
  free @0 :UInt32;
  cached @1 :UInt32;       # Held by cached entries that nobody must keep.
  pinned @2 :UInt32;       # Held by entries that are never evicted.
  inFlight @3 :UInt32;     # Held by requests or transfers under way.
  quarantined @4 :UInt32;  # Damaged, or not yet known to be unused by a dead transfer.
}
