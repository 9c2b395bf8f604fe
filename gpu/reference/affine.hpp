// What a run of tokens does to a linear-attention state: S -> T S + b.
//
// The pair {T, b} is all that an entry keeps of a segment, and composing pairs is all that a splice
// does with it (ARCHITECTURE.md).
#pragma once

#include "gpu/reference/matrix.hpp"

namespace weft::gpu::reference {

struct affine {
  matrix transition;  // T, [K, K]
  matrix offset;      // b = S_C, [K, V]: the state reached from zero
};

// The map of no tokens at all.
affine identity_map(std::int64_t key_dim, std::int64_t value_dim);

// T S + b.
matrix apply(const affine& map, const matrix& state);

// `earlier`, then `later`: (T2, b2) o (T1, b1) = (T2 T1, T2 b1 + b2). Associative.
affine compose(const affine& later, const affine& earlier);

}  // namespace weft::gpu::reference
