// One key's place in the index: who makes its entry, or the entry itself.
//
// Held by shared_ptr: the index and every request that uses or awaits the entry share one slot, so
// that whoever waits sees the maker succeed or give up.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "gpu/door/entry.hpp"
#include "messages/prompt/key.hpp"
#include "policies/cost/prefill_work.hpp"
#include "policies/eviction/reuse.hpp"
#include "policies/vocabulary/receipt.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::actors {

// What an entry is to be, before it exists.
struct entry_wanted {
  messages::entry_key key;
  token_ids ids;  // Of the whole segment; compared in full on a hit.
  gpu::entry_kind kind = gpu::entry_kind::splice;
  std::int64_t stored_tokens = 0;
  std::int64_t first_position = 0;  // To which the first stored token's key is turned.
  bool pinned = false;              // Never evicted (the anchor).
  prefill_work remake = {};         // What making it takes.
};

enum class slot_state : std::uint8_t {
  computing,  // `maker` fills the entry; others wait
  resident,   // complete, for everyone
  abandoned,  // the maker gave up; the first request that sees it makes it anew
};

// Where an entry came from, if not from here.
struct entry_origin {
  std::string worker;  // Its node's name; empty: made here.
  bool warm = false;   // It was there when the request was planned; else it was made for it.
  std::int64_t bytes_moved = 0;
};

struct entry_slot {
  entry_wanted wanted;
  slot_state state = slot_state::computing;
  std::shared_ptr<gpu::entry> entry;  // Null when abandoned.
  std::uint64_t maker = 0;            // Request id, or that of an arrival.
  entry_origin origin = {};
  std::uint64_t serial = 0;  // Unique in this process; names the slot in values.
  std::uint64_t last_use = 0;
  reuse uses = {};  // By requests that started, its maker included.
  verdict_reason cause = verdict_reason::new_segment;  // Why it had to be made.
};

using slot_ptr = std::shared_ptr<entry_slot>;

}  // namespace weft::actors
