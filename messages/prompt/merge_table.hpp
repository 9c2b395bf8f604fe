// Which two tokens merge into which third, and how early: a flat hash table, since looking up pairs
// is what a tokenizer spends its time on.
//
// Built once, then only read: const members from any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "policies/vocabulary/token.hpp"

namespace weft::messages {

struct merge {
  std::int32_t rank = -1;  // Lower merges first; -1: the pair does not merge.
  token_id into = -1;

  bool exists() const { return rank >= 0; }
};

class merge_table {
 public:
  // A table with room for `merges_max` pairs.
  explicit merge_table(std::size_t merges_max = 0);

  // `left` and `right` merge as `what`; the last word on a pair counts.
  // Requires: ids of 0 and up; at most `merges_max` different pairs.
  void set(token_id left, token_id right, merge what);

  // What the pair merges into, if anything.
  merge find(token_id left, token_id right) const;

 private:
  struct slot {
    std::uint64_t pair = 0;
    merge what;
  };

  std::size_t place_of(std::uint64_t pair) const;

  std::vector<slot> slots_;  // A power of two, at most half full.
};

}  // namespace weft::messages
