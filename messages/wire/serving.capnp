@0xc34f67048aa079e7;
# Gateway, router and combine worker: one request from its arrival to its last token.
# Conversation 3 of an envelope.
#
#   gateway -> router    generate, cancel
#   router  -> gateway   accepted, refused
#   router  -> combine   serve, cancel
#   combine -> gateway   newTokens, finished, failed
#   combine -> router    served
#
# A request ends once: by refused, finished or failed at the gateway. What belongs to an older
# generation than the receiver knows is dropped by it.

using Cxx = import "/capnp/c++.capnp";
$Cxx.namespace("weft::messages::schema");

using Common = import "common.capnp";

struct Serving {
  union {
    generate @0 :Generate;
    accepted @1 :Accepted;
    refused @2 :Refused;
    serve @3 :Serve;
    newTokens @4 :NewTokens;
    finished @5 :Finished;
    failed @6 :Failed;
    served @7 :Served;
    cancel @8 :Cancel;
  }
}

struct Generate {
  # A client wants tokens. Once per request; a repetition is the same request.
  request @0 :Common.RequestId;
  work @1 :Work;
}

struct Work {
  # What the client asked for, in ids. Chosen by the gateway, unchanged for the request's life.
  scope @0 :Text;             # The tenant's, from credentials; part of every key.
  segments @1 :List(Segment); # First: lead, if there are more. Last: question. At least one.
  mode @2 :ReuseMode;
  seam :union {
    profile @3 :Void;         # The model's own, cut to what the mode has.
    wanted @4 :Seam;
  }
  draw @5 :Drawing;
  newTokensMax @6 :UInt32;    # 0: prefill only.
  wantsLogprobs @7 :Bool;      # Of the new tokens.
  deadlineMs @8 :UInt32;      # Left when the message was sent; 0: none.
}

struct Segment {
  tokens @0 :List(Int32);  # Not empty; ids from 0.
  reusable @1 :Bool;       # False: computed in context, never kept. Ignored for the question.
}

enum ReuseMode {
  fullRecompute @0;
  prefixCache @1;
  addition @2;
  transition @3;
  transitionRope @4;
  transitionRopeRecompute @5;
  stitched @6;
}

struct Seam {
  headTokens @0 :UInt32;
  tailTokens @1 :UInt32;
}

struct Drawing {
  # How new tokens are drawn. The random number of a token depends on seed and index alone.
  temperature @0 :Float64;     # Finite, from 0; 0: the largest logit.
  topK @1 :UInt32;             # 0: all.
  topP @2 :Float64 = 1;        # Above 0, at most 1.
  seed @3 :UInt64;
}

struct Accepted {
  # The request is planned. Comes again, with a higher generation, when it is planned anew.
  attempt @0 :Common.Attempt;
  worker @1 :Common.NodeLife;  # Whose tokens count.
}

struct Refused {
  # The request will not be served, and nothing of it is held anywhere.
  request @0 :Common.RequestId;
  kind @1 :Common.FailureKind;
  message @2 :Text;        # One sentence for the client.
  retryAfterMs @3 :UInt32; # When it may succeed; 0: no estimate.
}

struct Serve {
  # An order to splice and answer. The same attempt is served once, however often it is said.
  attempt @0 :Common.Attempt;
  gateway @1 :Common.NodeLife;  # Who hears of tokens and of the end.
  work @2 :Work;
  sources @3 :List(Source);     # One per entry of the prompt, by ascending segment.
  told @4 :List(Int32);         # New tokens that the client has already; replayed and not sent
                                # again. Chosen by the router when it replaces a worker.
}

struct Source {
  # Where the entry of one segment comes from, as the router planned it.
  segment @0 :UInt32;  # Index in the prompt.
  key @1 :Data;        # 32 bytes.
  from :union {
    self @2 :Void;              # Have it or make it yourself.
    pull @3 :Common.NodeLife;   # Warm there: ask that worker for a lease.
    coming @4 :Common.NodeLife; # That worker was ordered to make it and will offer it.
  }
}

struct NewTokens {
  # Tokens as steps make them; in order, none twice.
  attempt @0 :Common.Attempt;
  firstIndex @1 :UInt32;         # Of ids[0] among the request's new tokens, from 0.
  ids @2 :List(Int32);           # Not empty.
  logprobs @3 :List(Float64);    # Natural logarithms, one per id, or none at all where they were
                                 # not wanted. -inf is one; NaN and +inf are not.
}

struct Finished {
  # The answer is complete; all its tokens have been sent.
  attempt @0 :Common.Attempt;
  ended @1 :Bool;               # At an end token, which is not sent; else at newTokensMax.
  receipts @2 :List(Receipt);   # One a segment, in order.
  promptTokens @3 :UInt32;
  reusedTokens @4 :UInt32;      # At most promptTokens.
  newTokens @5 :UInt32;         # All that were told, replayed ones too.
  times @6 :Times;
}

struct Receipt {
  # What happened to one segment. Written by the combine worker.
  segment @0 :UInt32;       # Index in the prompt.
  role @1 :SegmentRole;
  tokens @2 :UInt32;
  seamTokens @3 :UInt32;
  reusedTokens @4 :UInt32;
  verdict @5 :Verdict;
  reason @6 :VerdictReason;
  tier @7 :Text;            # "device" for entries; empty for context.
  worker @8 :Text;          # Node that held or made the entry; empty: none but this one.
  bytesMoved @9 :UInt64;    # Over the data channel.
  milliseconds @10 :Float64; # Engine time; finite, not negative.
}

enum SegmentRole {
  lead @0;
  document @1;
  question @2;
}

enum Verdict {
  warm @0;
  cold @1;
  context @2;
}

enum VerdictReason {
  none @0;
  newSegment @1;
  evicted @2;
  otherScope @3;
  numerics @4;
  invalid @5;
  lost @6;
  question @7;
  seamOnly @8;
  notReusable @9;
  mode @10;
}

struct Times {
  # Milliseconds, each finite and not negative, measured on the combine worker.
  queueMs @0 :Float64;
  planMs @1 :Float64;
  prefillMs @2 :Float64;
  spliceMs @3 :Float64;      # Part of prefillMs.
  firstTokenMs @4 :Float64;
  totalMs @5 :Float64;
}

struct Failed {
  # The attempt gave up. The router may plan the request anew; the gateway waits for that or for
  # its deadline.
  attempt @0 :Common.Attempt;
  kind @1 :Common.FailureKind;
  message @2 :Text;  # One sentence.
}

struct Served {
  # The combine worker's account to the router: the attempt is over and holds nothing there.
  attempt @0 :Common.Attempt;
  outcome @1 :Outcome;
  prefilledTokens @2 :UInt32;  # Computed rather than spliced, entries made here included.
  measuredMs @3 :Float64;      # What that took; finite, not negative.
}

enum Outcome {
  finished @0;
  failed @1;
  cancelled @2;
}

struct Cancel {
  # Nobody waits any more: free all that the request holds. Harmless for an unknown one.
  attempt @0 :Common.Attempt;  # This generation and all before it; 0: whichever there is.
}
