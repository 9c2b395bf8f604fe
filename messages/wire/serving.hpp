// One request from its arrival to its last token, as values. What each field means, who chooses it
// and how long it holds stands in serving.capnp; serving_codec.hpp turns values into bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "policies/vocabulary/attempt.hpp"
#include "policies/vocabulary/entry_key.hpp"
#include "policies/vocabulary/failure.hpp"
#include "policies/vocabulary/mode.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/receipt.hpp"
#include "policies/vocabulary/request_times.hpp"
#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::messages::serving {

struct segment {
  token_ids tokens = {};
  bool reusable = true;

  friend bool operator==(const segment&, const segment&) = default;
};

// How new tokens are drawn; their index is counted by who draws.
struct drawing {
  double temperature = 0;
  std::int64_t top_k = 0;
  double top_p = 1;
  std::uint64_t seed = 0;

  friend bool operator==(const drawing&, const drawing&) = default;
};

// What the client asked for, in ids.
struct work {
  std::string scope = {};
  std::vector<segment> segments = {};
  reuse_mode mode = reuse_mode::stitched;
  std::optional<seam> wanted_seam = {};  // Absent: the profile's.
  drawing draw = {};
  std::int64_t new_tokens_max = 0;
  bool wants_logprobs = false;
  std::int64_t deadline_ms = 0;  // 0: none.

  friend bool operator==(const work&, const work&) = default;
};

struct generate {
  request_id request = {};
  work wanted = {};

  friend bool operator==(const generate&, const generate&) = default;
};

struct accepted {
  attempt plan = {};
  node_life worker = {};

  friend bool operator==(const accepted&, const accepted&) = default;
};

struct refused {
  request_id request = {};
  failure_kind kind = failure_kind::rejected;
  std::string message = {};
  std::int64_t retry_after_ms = 0;  // 0: no estimate.

  friend bool operator==(const refused&, const refused&) = default;
};

enum class source_kind : std::uint8_t {
  self,    // have it or make it yourself
  pull,    // warm at `worker`: ask for a lease
  coming,  // `worker` was ordered to make it and will offer it
};

struct source {
  std::int64_t segment = 0;
  entry_key key = {};
  source_kind kind = source_kind::self;
  node_life worker = {};  // Empty for `self`.

  friend bool operator==(const source&, const source&) = default;
};

struct serve {
  attempt plan = {};
  node_life gateway = {};
  work wanted = {};
  std::vector<source> sources = {};
  token_ids told = {};

  friend bool operator==(const serve&, const serve&) = default;
};

struct new_tokens {
  attempt plan = {};
  std::int64_t first_index = 0;
  token_ids ids = {};
  std::vector<double> logprobs = {};  // One per id, or none.

  friend bool operator==(const new_tokens&, const new_tokens&) = default;
};

struct finished {
  attempt plan = {};
  bool ended = false;
  std::vector<receipt> receipts = {};
  std::int64_t prompt_tokens = 0;
  std::int64_t reused_tokens = 0;
  std::int64_t new_tokens = 0;
  request_times times = {};

  friend bool operator==(const finished&, const finished&) = default;
};

struct failed {
  attempt plan = {};
  failure_kind kind = failure_kind::broken;
  std::string message = {};

  friend bool operator==(const failed&, const failed&) = default;
};

enum class outcome : std::uint8_t { finished, failed, cancelled };

struct served {
  attempt plan = {};
  outcome how = outcome::finished;
  std::int64_t prefilled_tokens = 0;
  double measured_ms = 0;

  friend bool operator==(const served&, const served&) = default;
};

struct cancel {
  attempt plan = {};

  friend bool operator==(const cancel&, const cancel&) = default;
};

using message =
    std::variant<generate, accepted, refused, serve, new_tokens, finished, failed, served, cancel>;

// `rejected`, naming the field, unless every field is within bounds.hpp and means something.
// Sentences of failures may be of any length and bytes: encoding cuts and repairs them, since a
// failure must always get through.
status check(const message& what);

}  // namespace weft::messages::serving
