#include "gpu/door/overlay.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace weft::gpu {

status reserve_overlay(unit_pool& pages, sequence& target, const std::vector<std::int64_t>& runs) {
  std::vector<unit_lease> taken;
  std::vector<overlay_run> placed;
  // Tokens used in the last page; a full page when there is none.
  std::int64_t fill = page_tokens;
  if (!target.reserved.empty()) {
    const overlay_run& last = target.reserved.back();
    fill = (last.offset + last.tokens_max - 1) % page_tokens + 1;
  }
  for (const std::int64_t tokens : runs) {
    WEFT_ASSERT(tokens > 0);
    if (fill + tokens > page_tokens) {
      placed.push_back({.tokens_max = tokens, .first_page = target.pages.size() + taken.size()});
      for (std::int64_t first = 0; first < tokens; first += page_tokens) {
        auto page = pages.take(unit_owner::in_flight);
        if (!page) return page.error();
        taken.push_back(std::move(*page));
      }
      fill = (tokens - 1) % page_tokens + 1;
    } else {
      placed.push_back({.tokens_max = tokens,
                        .first_page = target.pages.size() + taken.size() - 1,
                        .offset = static_cast<std::int32_t>(fill)});
      fill += tokens;
    }
  }
  for (overlay_run& each : placed)
    each.blocks.reserve(
        static_cast<std::size_t>((each.tokens_max + page_tokens - 1) / page_tokens));
  for (unit_lease& page : taken) target.pages.push_back(std::move(page));
  target.reserved.insert(target.reserved.end(), std::make_move_iterator(placed.begin()),
                         std::make_move_iterator(placed.end()));
  const std::size_t spans = target.spans.size() + target.reserved.size() - target.reserved_used;
  if (spans > target.spans.capacity())
    target.spans.reserve(std::max(spans, 2 * target.spans.capacity()));
  return {};
}

}  // namespace weft::gpu
