// Making entries and handing them over, as values. What each field means, who chooses it and how
// long it holds stands in prefill.capnp; prefill_codec.hpp turns values into bytes.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "messages/prompt/key.hpp"
#include "policies/vocabulary/attempt.hpp"
#include "policies/vocabulary/endpoint.hpp"
#include "policies/vocabulary/entry_key.hpp"
#include "policies/vocabulary/mode.hpp"
#include "policies/vocabulary/node_life.hpp"
#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"
#include "policies/vocabulary/transfer_ticket.hpp"

namespace weft::messages::prefill {

struct entry_to_make {
  std::int64_t segment = 0;
  key_kind kind = key_kind::entry;
  seam seams = {.head_tokens = 0, .tail_tokens = 0};
  entry_key key = {};
  token_ids tokens = {};

  friend bool operator==(const entry_to_make&, const entry_to_make&) = default;
};

struct make_entries {
  attempt plan = {};
  node_life combine = {};
  endpoint combine_control = {};
  endpoint combine_data = {};
  std::string scope = {};
  std::vector<token_ids> anchor = {};
  std::vector<entry_to_make> entries = {};

  friend bool operator==(const make_entries&, const make_entries&) = default;
};

struct lease_request {
  attempt plan = {};
  std::int64_t segment = 0;
  entry_key key = {};
  std::int64_t duration_ms = 0;

  friend bool operator==(const lease_request&, const lease_request&) = default;
};

// All of an entry that is not tensors.
struct entry_form {
  key_kind kind = key_kind::entry;
  std::int64_t stored_tokens = 0;
  std::int64_t local_begin = 0;
  bool from_zero = false;
  std::int64_t conv_rows = 0;
  std::vector<std::uint8_t> closed = {};  // 0 or 1 each.
  std::vector<std::int64_t> layer_bytes = {};

  // All layers. Requires: `check` found nothing.
  std::int64_t bytes() const;

  friend bool operator==(const entry_form&, const entry_form&) = default;
};

struct offer {
  attempt plan = {};
  std::int64_t segment = 0;
  entry_key key = {};
  entry_form form = {};
  endpoint data = {};
  transfer_ticket ticket = {};
  std::int64_t lease_ms = 0;

  friend bool operator==(const offer&, const offer&) = default;
};

struct layer_ready {
  transfer_ticket ticket = {};
  std::int64_t layer = 0;
  std::vector<std::uint8_t> closed = {};  // 0 or 1 each.

  friend bool operator==(const layer_ready&, const layer_ready&) = default;
};

enum class refusal_reason : std::uint8_t { not_here, no_room, failed };

struct refusal {
  attempt plan = {};
  std::int64_t segment = 0;
  entry_key key = {};
  refusal_reason reason = refusal_reason::failed;
  std::string message = {};

  friend bool operator==(const refusal&, const refusal&) = default;
};

struct release {
  transfer_ticket ticket = {};

  friend bool operator==(const release&, const release&) = default;
};

struct took_back {
  attempt plan = {};
  std::int64_t segment = 0;

  friend bool operator==(const took_back&, const took_back&) = default;
};

using message =
    std::variant<make_entries, lease_request, offer, layer_ready, refusal, release, took_back>;

// `rejected`, naming the field, unless every field is within bounds.hpp and means something.
// A refusal's sentence may be of any length and bytes: encoding cuts and repairs it.
status check(const message& what);

}  // namespace weft::messages::prefill
