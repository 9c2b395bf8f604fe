#include "messages/prompt/merge_table.hpp"

#include <bit>

#include "policies/vocabulary/assert.hpp"

namespace weft::messages {

namespace {

std::uint64_t pair_of(token_id left, token_id right) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(left)) << 32 |
         static_cast<std::uint32_t>(right);
}

}  // namespace

merge_table::merge_table(std::size_t merges_max) : slots_(std::bit_ceil(2 * merges_max + 2)) {}

void merge_table::set(token_id left, token_id right, merge what) {
  WEFT_ASSERT(left >= 0 && right >= 0 && what.exists());
  slots_[place_of(pair_of(left, right))] = {pair_of(left, right), what};
}

merge merge_table::find(token_id left, token_id right) const {
  return slots_[place_of(pair_of(left, right))].what;
}

// The pair's slot, or the empty one where it would go. Ends, since half of the slots are empty.
std::size_t merge_table::place_of(std::uint64_t pair) const {
  const std::size_t mask = slots_.size() - 1;
  // Multiplicative hashing by 2^64 over the golden ratio; the high bits are the well mixed ones.
  std::size_t at = (pair * 0x9E3779B97F4A7C15U) >> 32 & mask;
  while (slots_[at].what.exists() && slots_[at].pair != pair) at = (at + 1) & mask;
  return at;
}

}  // namespace weft::messages
