// How tickets are drawn, and how tables are keyed by them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/transfer_ticket.hpp"

namespace weft::gpu::comm {

// From the operating system's random numbers. `broken` when it has none.
result<transfer_ticket> draw_ticket();

// The hasher of a table keyed by tickets: with a secret salt drawn for that table, so that nobody
// can aim at a bucket.
struct ticket_hash {
  ticket_hash();
  std::size_t operator()(const transfer_ticket& key) const;
  std::uint64_t salt = 0;
};

}  // namespace weft::gpu::comm
