// weft.json: any bytes are a profile within its bounds or a failure.
#include "messages/prompt/profile.hpp"

#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = weft::messages::parse_profile(weft::fuzz::text_of(data, size));
  if (!read.ok()) {
    WEFT_ASSERT(!read.error().message.empty());
    return 0;
  }
  WEFT_ASSERT(read->seam.head_tokens >= 0 && read->seam.tail_tokens >= 0);
  for (const std::string& segment : read->anchor) WEFT_ASSERT(!segment.empty());
  WEFT_ASSERT(!read->separator || !read->separator->empty());
  return 0;
}
