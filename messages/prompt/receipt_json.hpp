// Receipts as JSON, in the form that clients read (deploy/docs/formats.md):
//
//   {"segment": 1, "role": "document", "tokens": 512, "seam_tokens": 24, "verdict": "warm",
//    "reason": null, "tier": "device", "worker": "w2", "bytes_moved": 0, "milliseconds": 1.9}
//
// Keys in this order, without white space. `reason`, `tier` and `worker` are null where the receipt
// has none (an empty string never appears). Milliseconds are rounded to microseconds; null if not a
// number. Pure functions; any thread.
#pragma once

#include <span>
#include <string>

#include "policies/vocabulary/receipt.hpp"

namespace weft::messages {

// One object.
std::string receipt_json(const receipt& what);

// An array of them.
std::string receipts_json(std::span<const receipt> all);

}  // namespace weft::messages
