// Prompt files: any bytes are segments that hold no more text than the file, or a failure.
#include "messages/prompt/prompt_file.hpp"

#include "messages/prompt/utf8.hpp"
#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"

namespace weft::messages {
namespace {

void check(std::string_view text, const std::optional<std::string>& separator) {
  const auto prompt = parse_prompt_file(text, separator);
  if (!prompt.ok()) {
    WEFT_ASSERT(!prompt.error().message.empty());
    return;
  }
  WEFT_ASSERT(!prompt->segments.empty());
  std::size_t bytes = 0;
  for (const prompt_segment& segment : prompt->segments) {
    WEFT_ASSERT(!segment.text.empty());
    WEFT_ASSERT(!first_invalid_utf8(segment.text));
    bytes += segment.text.size();
  }
  WEFT_ASSERT(bytes <= text.size());
  if (prompt->max_tokens) WEFT_ASSERT(*prompt->max_tokens >= 0);
}

}  // namespace
}  // namespace weft::messages

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = weft::fuzz::text_of(data, size);
  weft::messages::check(text, std::nullopt);
  weft::messages::check(text, std::string(weft::messages::default_separator));
  weft::messages::check(text, "\n");
  return 0;
}
