// A running context on one engine: the linear states after its last token, its own key-value pages,
// and the list of key spans that its queries see.
//
// Made by `engine::make_sequence`, changed only by steps, dropped by its owner (which frees all it
// holds). A request is one sequence; an isolated prefill is one too. At most one step in flight.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/door/entry.hpp"
#include "gpu/door/numerics.hpp"

namespace weft::gpu {

// A run of keys that are visible in order, in blocks of at most `page_tokens` counted from the
// span's start. Blocks depend on the prompt's layout alone, never on what was cached
// (ARCHITECTURE.md, "Cold equals warm").
struct key_span {
  std::int64_t turn = 0;   // A query at position m meets these keys as if it stood at m - turn.
  std::int64_t first = 0;  // Position in the sequence of the span's first key.
  std::int64_t tokens = 0;
  std::vector<key_block> blocks = {};
};

// Room for one run in the overlay pages. A run never straddles a page inside a block: it lies in
// what is left of a page, or starts a fresh one.
struct overlay_run {
  std::int64_t tokens_max = 0;
  std::size_t first_page = 0;          // Index into `sequence::pages`.
  std::int32_t offset = 0;             // In that page.
  std::vector<key_block> blocks = {};  // Empty, with the room that the run's span will need.
};

struct sequence {
  std::int64_t tokens = 0;        // Position of the next token.
  unit_lease state_slot;          // Running S and convolution history; zero at the start.
  bool state_is_zero = true;      // No token ran yet: the slot's memory is not read.
  std::vector<unit_lease> pages;  // Private overlay pages of what ran in context.
  std::vector<overlay_run>
      reserved;  // In order; each run that starts a grid outside an entry takes the next.
  std::size_t reserved_used = 0;
  std::vector<key_span> spans;
  std::vector<std::shared_ptr<const entry>> held;  // Entries whose pages the spans point into.
  std::shared_ptr<entry> building;                 // Set between begin_entry and end_entry.
  std::int64_t grid_offset = 0;                    // Tokens since the current chunk grid began.
};

}  // namespace weft::gpu
