// An entry without its numbers: all that a copy on another engine must know before the first layer
// arrives.
#pragma once

#include <cstdint>

#include "gpu/door/entry.hpp"

namespace weft::gpu {

struct entry_form {
  entry_kind kind = entry_kind::splice;
  std::int64_t tokens = 0;  // Stored.
  std::int64_t local_begin = 0;
  bool from_zero = false;
  std::int64_t conv_rows = 0;

  friend bool operator==(const entry_form&, const entry_form&) = default;
};

// Of an entry that is complete, or that an open step will complete: its token counts are final once
// the step is open.
inline entry_form form_of(const entry& of) {
  return {.kind = of.kind,
          .tokens = of.tokens,
          .local_begin = of.local_begin,
          .from_zero = of.from_zero,
          .conv_rows = of.conv_rows};
}

}  // namespace weft::gpu
