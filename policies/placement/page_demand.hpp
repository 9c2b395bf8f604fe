// How many key-value pages tokens take.
#pragma once

#include <cstdint>
#include <vector>

namespace weft {

// Pages of an entry: its tokens lie in pages of its own.
std::int64_t entry_pages(std::int64_t tokens, std::int64_t page_tokens);

// Pages of the runs of one context, packed in order: a run lies in what is left of the page before
// it, or else starts a fresh page.
std::int64_t overlay_pages(const std::vector<std::int64_t>& runs, std::int64_t page_tokens);

}  // namespace weft
