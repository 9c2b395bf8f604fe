@0xb898e639f28f392a;
# Router, scatter worker, combine worker and holder: making entries and handing them over.
# Conversation 4 of an envelope.
#
#   router  -> scatter            makeEntries
#   combine -> holder             leaseRequest
#   scatter, holder -> combine    offer, layerReady, refusal
#   combine -> scatter, holder    release, tookBack
#
# Tensors never travel here: an offer names a data endpoint and a ticket, the receiver pulls. Every
# lease ends by release or by its time, whichever is first.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("weft::messages::schema");

using Common = import "common.capnp";

struct Prefill {
  union {
    makeEntries @0 :MakeEntries;
    leaseRequest @1 :LeaseRequest;
    offer @2 :Offer;
    layerReady @3 :LayerReady;
    refusal @4 :Refusal;
    release @5 :Release;
    tookBack @6 :TookBack;
  }
}

struct MakeEntries {
  # An order to prefill cold segments and to offer each to the combine worker.
  attempt @0 :Common.Attempt;
  combine @1 :Common.NodeLife;         # Who gets the offers.
  combineControl @2 :Common.Endpoint;  # Where its actors listen.
  combineData @3 :Common.Endpoint;     # Where it would be reached for data.
  scope @4 :Text;                      # The tenant's; part of every key, so the maker can check it.
  anchor @5 :List(List(Int32));        # Segments that splice entries are prefilled behind; empty:
                                       # behind nothing. Checkpoints are not behind it.
  entries @6 :List(EntryToMake);       # At least one, by ascending segment.
}

struct EntryToMake {
  segment @0 :UInt32;       # Index in the request's prompt.
  kind @1 :Common.EntryKind;
  headTokens @2 :UInt32;    # w of the seam; the entry stores tokens [w, n - r).
  tailTokens @3 :UInt32;    # r of the seam.
  key @4 :Data;             # 32 bytes.
  tokens @5 :List(Int32);   # All n of the segment.
}

struct LeaseRequest {
  # Hold this entry for me and offer it. Asking again prolongs the same lease.
  attempt @0 :Common.Attempt;
  segment @1 :UInt32;     # Index in the request's prompt; comes back in the answer.
  key @2 :Data;           # 32 bytes.
  durationMs @3 :UInt32;  # From arrival; not 0.
}

struct Offer {
  # The entry can be pulled from here, whole or, while it is made, layer by layer.
  attempt @0 :Common.Attempt;
  segment @1 :UInt32;
  key @2 :Data;                # 32 bytes.
  form @3 :EntryForm;
  data @4 :Common.Endpoint;    # Where the ticket is honoured.
  ticket @5 :Data;             # 32 random bytes, drawn by the holder for this offer. Never logged.
  leaseMs @6 :UInt32;          # How long the entry is held from now on; not 0.
}

struct EntryForm {
  # All of an entry that is not tensors: enough to take room for it before the first byte comes.
  kind @0 :Common.EntryKind;
  storedTokens @1 :UInt32;
  localBegin @2 :UInt32;           # Position to which the first stored token's key was turned.
  fromZero @3 :Bool;               # The pass stood at the zero state when the entry began.
  convRows @4 :UInt32;             # Valid convolution rows.
  closed @5 :Data;                 # A byte per linear layer and head, 1 where T is zero. Empty
                                   # while it is made: then layerReady says it for each layer.
  layerBytes @6 :List(UInt64);     # Of each layer, in order; their count is the model's layers.
}

struct LayerReady {
  # One layer of an offered entry may be pulled. Layers come in order; an entry that was whole when
  # it was offered needs none of these.
  ticket @0 :Data;    # 32 bytes, of the offer.
  layer @1 :UInt32;   # From 0.
  closed @2 :Data;    # A byte per head, 1 where T is zero; empty for a layer that is not linear.
}

struct Refusal {
  # There will be no offer, or the one made is void: a negative acknowledgement.
  attempt @0 :Common.Attempt;
  segment @1 :UInt32;
  key @2 :Data;                # 32 bytes.
  reason @3 :RefusalReason;
  message @4 :Text;            # One sentence.
}

enum RefusalReason {
  notHere @0;  # Never was, or evicted: the directory was stale.
  noRoom @1;   # Nothing to make or to hold it in now.
  failed @2;   # Making it went wrong.
}

struct Release {
  # The receiver has all that it wants; the lease ends. Harmless for an unknown ticket.
  ticket @0 :Data;  # 32 bytes.
}

struct TookBack {
  # The combine worker makes the segment itself; what comes late is dropped.
  attempt @0 :Common.Attempt;
  segment @1 :UInt32;
}
