// What an entry is made of; the key follows from it, on every node alike.
#pragma once

#include <string>

#include "actors/session/entry_names.hpp"

namespace weft::actors {

struct entry_order {
  token_ids tokens;  // Of the whole segment.
  // A document that is spliced, or a lead whose state is taken up at position 0.
  gpu::entry_kind kind = gpu::entry_kind::splice;
  seam cut = {};          // Of a document: what its splices recompute.
  bool anchored = false;  // Of a document: behind the session's anchor, if it has one.
  std::string scope = "default";
};

// The entry as a session of such names knows it. `rejected`: a seam that the convolution forbids,
// or one that leaves nothing of the segment.
result<entry_wanted> entry_wanted_by(const entry_order& order, const entry_names& names,
                                     std::int64_t conv_kernel);

}  // namespace weft::actors
