// The embedded engine: one model in this process, a cache of entries, and any number of requests
// that share its steps.
//
// A request is laid out by `policies/placement`, its entries are looked up by key, and its work is
// cut into engine steps that mix cold segments, splices, questions and decode rows of all live
// requests. What is cached never changes an answer: cold equals warm, bit for bit.
//
// Threads: one. `step` runs one engine step and returns; callers loop, or use `run`.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "actors/session/entry_exchange.hpp"
#include "actors/session/layer_news.hpp"
#include "actors/session/quarantine.hpp"
#include "gpu/door/engine.hpp"
#include "policies/eviction/eviction_policy.hpp"
#include "policies/vocabulary/mode.hpp"
#include "policies/vocabulary/receipt.hpp"
#include "policies/vocabulary/request_times.hpp"
#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::actors {

struct request_segment {
  token_ids tokens;      // Not empty.
  bool reusable = true;  // Ignored for the question, see deploy/docs/formats.md.
};

struct request {
  std::vector<request_segment> segments;  // First: lead, if there are more. Last: question.
  reuse_mode mode = reuse_mode::stitched;
  std::optional<seam> wanted_seam;  // Absent: the profile's, cut to what the mode has.
  std::string scope = "default";
  gpu::sampling draw;                // `index` is ignored; the session counts.
  std::int64_t new_tokens_max = 64;  // 0: prefill and score only.
  bool use_cache = true;             // False: entries are made, spliced, dropped; none looked up.
  bool with_transitions = true;  // False: its entries get no T, and the answer means nothing. Only
                                 // to measure what T costs, and only without the cache.
  bool want_logits = false;      // Of the last prompt token.
  bool want_scores = false;      // Argmax and next token's log-probability of every context row.
};

// Documents whose entries shall be made and kept, and nothing else.
struct preparation {
  std::vector<token_ids> documents;
  seam cut = {};          // Of each: what its splices recompute.
  bool anchored = false;  // Behind the session's anchor, if it has one.
  std::string scope = "default";
};

struct answer {
  token_ids tokens;               // New ones; the end token is left out.
  bool ended = false;             // Stopped at an end token, not at new_tokens_max.
  std::vector<receipt> receipts;  // One a segment.
  std::int64_t prompt_tokens = 0;
  std::int64_t reused_tokens = 0;
  request_times times;
  std::vector<float> last_logits;
  // One per row computed in context outside entries, by position: its argmax and the
  // log-probability of the prompt's next token; NaN where that token lies in an entry or past the
  // prompt's end.
  std::vector<gpu::token_score> scores;
};

struct session_options {
  gpu::engine_options engine;
  std::int64_t positions_max = 0;       // 0: the model's own limit.
  std::int64_t step_tokens_max = 2048;  // Rows of one step; a multiple of gpu::chunk_tokens.
  std::int64_t requests_max = 64;       // Live or not yet taken; one more is `overloaded`.
  std::int64_t waiting_max = 64;        // Not yet admitted; one more is `overloaded`.
  // By value: on crowds with favourites it recomputes a fifth less than by recency, and no more
  // where favourites change fast.
  eviction_policy eviction = eviction_policy::value_per_byte;
  std::string model_fingerprint;  // Hex; parts of every key.
  std::string tokenizer_fingerprint;
  seam profile_seam;
  std::vector<token_ids> anchor;  // The profile's anchor, tokenized; empty for none.
};

struct cache_counts {
  std::int64_t entries = 0;
  cache_units units = {};  // Of the entries.
  std::int64_t bytes = 0;
  std::int64_t hits = 0;
  std::int64_t misses = 0;
  std::int64_t evictions = 0;
  quarantine_counts quarantined = {};  // Entries ever, indexed by quarantine_reason.
};

class session {
 public:
  static result<std::unique_ptr<session>> make(gpu::model_weights weights, session_options options);
  // Over an engine that is there already; `options.engine` is not read.
  static result<std::unique_ptr<session>> make(std::unique_ptr<gpu::engine> engine,
                                               session_options options);
  virtual ~session() = default;

  virtual const gpu::engine& engine() const = 0;
  virtual cache_counts cached() const = 0;
  // Drops every entry but the anchor's. Requests under way keep what they use and what they make.
  virtual void drop_cache() = 0;

  // Entries from other sessions, and for them. Lives as long as the session.
  virtual entry_exchange& exchange() = 0;
  // An id for an arrival: no request has it, nor will.
  virtual std::uint64_t next_id() = 0;

  // Takes a request on, or refuses it (`rejected`: can never run; `overloaded`: too many live or
  // waiting). It waits until all that it will need is there or can be made so, in order of arrival.
  // `on_token` hears every new token as it comes, on the thread that calls `step`; it may call
  // `start` and `cancel`.
  virtual result<std::uint64_t> start(request wanted,
                                      std::function<void(token_id)> on_token = {}) = 0;

  // As `start`, for entries alone: its answer has receipts and no token. `on_layer` hears of every
  // layer of each entry when it is final, those that are made by others and those that are there
  // already with all layers at once.
  virtual result<std::uint64_t> prepare(preparation wanted, layer_listener on_layer = {}) = 0;

  // Runs one engine step for whatever is live. False: there is nothing to do now, since nothing is
  // live or all that is live waits for entries from elsewhere. When the engine
  // breaks, or its weights turn out to be no numbers, all that is live fails with its reason, and
  // so does every later `start`. A cached entry that holds NaN or infinity is found before it is
  // used: the requests that use it begin again with a new one (cold, `invalid`) and answer the
  // same. Is the new one bad too, the request fails and names the segment and the key.
  virtual bool step() = 0;

  // The answer of a finished request, once; nullopt while it is live (or the id is unknown).
  virtual std::optional<result<answer>> take(std::uint64_t id) = 0;

  // Frees all that the request holds. A finished or unknown id is not an error.
  virtual void cancel(std::uint64_t id) = 0;

  // start, step until finished, take.
  result<answer> run(request wanted, std::function<void(token_id)> on_token = {});
};

}  // namespace weft::actors
