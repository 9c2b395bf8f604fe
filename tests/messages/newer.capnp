@0xf26edf1e4da0fd45;
# What membership.capnp may become, and what it may once have been: for tests of old readers on new
# messages and new readers on old ones.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("weft::messages::newer");

struct Membership {
  union {
    hello @0 :AnyPointer;
    heartbeat @1 :Heartbeat;
    goodbye @2 :AnyPointer;
    drain @3 :AnyPointer;
    statusRequest @4 :AnyPointer;
    statusReport @5 :AnyPointer;
    farewell @6 :Text;  # A kind that is not known today.
  }
  note @7 :Text;
  stamp @8 :UInt64;
}

struct NodeLife {
  node @0 :Text;
  life @1 :UInt64;
  rack @2 :Text;
}

struct Heartbeat {
  node @0 :NodeLife;
  sequence @1 :UInt64;
  draining @2 :Bool;
  hot @3 :Bool;
  load @4 :Float64;
  remarks @5 :List(Text);
}

struct OlderHeartbeat {
  # As if `draining` had been added later.
  node @0 :NodeLife;
  sequence @1 :UInt64;
}

struct OlderMembership {
  union {
    hello @0 :AnyPointer;
    heartbeat @1 :OlderHeartbeat;
  }
}

struct Hollow {
  # A snapshot whose entries are as many as one likes and take no room.
  worker @0 :AnyPointer;
  sequence @1 :UInt64;
  part @2 :UInt32;
  isLast @3 :Bool;
  entries @4 :List(Void);
}

struct HollowDirectory {
  union {
    entriesChanged @0 :AnyPointer;
    replayRequest @1 :AnyPointer;
    snapshotRequest @2 :AnyPointer;
    snapshot @3 :Hollow;
    loadReport @4 :AnyPointer;
  }
}
