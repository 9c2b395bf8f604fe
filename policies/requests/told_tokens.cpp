#include "policies/requests/told_tokens.hpp"

#include <algorithm>

namespace weft {

told_outcome told_tokens::append(std::uint64_t first_index, std::span<const token_id> tokens) {
  if (first_index > tokens_.size()) return {.verdict = told_verdict::gap, .fresh = 0};
  const std::size_t repeated =
      std::min(tokens.size(), tokens_.size() - static_cast<std::size_t>(first_index));
  const auto known = tokens_.begin() + static_cast<std::ptrdiff_t>(first_index);
  if (!std::equal(tokens.begin(), tokens.begin() + static_cast<std::ptrdiff_t>(repeated), known))
    return {.verdict = told_verdict::differs, .fresh = 0};
  const auto fresh = tokens.subspan(repeated);
  if (fresh.size() > tokens_max_ - tokens_.size())
    return {.verdict = told_verdict::too_many, .fresh = 0};
  tokens_.insert(tokens_.end(), fresh.begin(), fresh.end());
  return {.verdict = told_verdict::taken, .fresh = fresh.size()};
}

}  // namespace weft
