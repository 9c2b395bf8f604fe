#include "policies/placement/page_demand.hpp"

#include "policies/vocabulary/assert.hpp"

namespace weft {

std::int64_t entry_pages(std::int64_t tokens, std::int64_t page_tokens) {
  WEFT_ASSERT(tokens >= 0 && page_tokens > 0);
  return tokens / page_tokens + (tokens % page_tokens != 0 ? 1 : 0);
}

std::int64_t overlay_pages(const std::vector<std::int64_t>& runs, std::int64_t page_tokens) {
  std::int64_t pages = 0;
  std::int64_t left = 0;
  for (const std::int64_t tokens : runs) {
    if (tokens <= left) {
      left -= tokens;
      continue;
    }
    const std::int64_t fresh = entry_pages(tokens, page_tokens);
    pages += fresh;
    left = fresh * page_tokens - tokens;
  }
  return pages;
}

}  // namespace weft
