@0x92879ba1b6eaa37e;
# What several conversations say: who, which request, which entry.
#
# Rules of all schemas here. Comments follow their field and give unit, chooser and lifetime.
# Ordinals never move; a field that nobody reads any more stays and says so. A field that is added
# must mean, at its default, what its absence meant. Durations and never clock times: no two nodes
# need to agree on the time. Enumerants are never renumbered; a reader refuses those that it does
# not know, so a new one is sent only to nodes that are known to understand it. Every number's and
# list's bound stands in bounds.hpp.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("weft::messages::schema");

struct NodeLife {
  # A node between one start and its end.
  node @0 :Text;    # From the node's certificate or configuration; outlives restarts.
  life @1 :UInt64;  # Incarnation: random bits, drawn by the node when it starts; never 0.
}

struct Endpoint {
  # Where a listening socket is reached. Chosen by the node that listens, for its life.
  host @0 :Text;    # Name or address in digits.
  port @1 :UInt16;  # 0: nothing listens.
}

struct RequestId {
  # A request's name in the cluster; never used twice.
  gateway @0 :UInt64;  # Incarnation of the gateway node that took the request in.
  number @1 :UInt64;   # Chosen by that gateway, from 1, in order of arrival.
}

struct Attempt {
  # One plan to serve one request. Whoever knows a newer one drops messages of this one.
  request @0 :RequestId;
  generation @1 :UInt32;  # Chosen by the router, from 1; raised whenever it plans anew.
}

struct CacheUnits {
  # An amount from the pools of one engine. Counted by the engine's node.
  pages @0 :UInt32;            # Key-value pages.
  stateSlots @1 :UInt32;       # Slots for S and convolution rows.
  transitionSlots @2 :UInt32;  # Slots for T.
}

enum EntryKind {
  # What an entry is, fixed when it is made; part of its key.
  splice @0;      # Prefilled alone; spliced at any position.
  checkpoint @1;  # The running state after a prefix.
}

enum FailureKind {
  # Chosen by whoever found the trouble, by what the receiver should do next.
  rejected @0;     # Change the request.
  overloaded @1;   # Back off and try again.
  unavailable @2;  # Try elsewhere or later.
  cancelled @3;    # Nothing; nobody waits.
  broken @4;       # Replace the part that failed.
}
