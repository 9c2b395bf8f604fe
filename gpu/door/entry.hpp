// What is cached of one segment (ARCHITECTURE.md, "The entry").
//
// Two kinds. A `splice` entry was prefilled alone (or behind an anchor) and holds S, T, the last
// convolution rows, and K and V of its stored tokens, K rotated to local positions. A `checkpoint`
// (lead, anchor, prefix chain) holds the state that ran up to its last token.
//
// Filled by an engine step between `begin_entry` and `end_entry`; immutable once `complete`.
// Entries are held by shared_ptr: the cache and every request that splices one share it, and its
// pages and slots go back to their pools with the last holder.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/pools/pool.hpp"

namespace weft::gpu {

enum class entry_kind : std::uint8_t { splice, checkpoint };

struct entry {
  entry_kind kind = entry_kind::splice;
  std::int64_t tokens_max = 0;   // Stored tokens the pages were taken for.
  std::int64_t tokens = 0;       // Stored so far.
  std::int64_t local_begin = 0;  // Position to which the first stored token's K was rotated.
  bool from_zero = false;        // The pass stood at the zero state when the entry began: S_C is S.
  bool complete = false;
  // Its layers come from elsewhere, one by one; steps may splice it layer by layer behind them.
  bool arriving = false;

  std::vector<unit_lease> pages;  // One per `page_tokens` stored tokens, in order.
  unit_lease state_slot;          // S and convolution rows of every linear layer.
  unit_lease transition_slot;     // T of every linear layer; empty for checkpoints.

  std::int64_t conv_rows = 0;        // Valid convolution rows, the last ones of the stored tokens.
  std::vector<std::uint8_t> closed;  // Per linear layer and head: 1 where T is zero (gates closed).
  std::vector<float> log_decay;      // Per linear layer and head: sum of g over stored tokens.
};

}  // namespace weft::gpu
