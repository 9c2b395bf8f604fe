// tokenizer.json: any bytes are a tokenizer that encodes and decodes, or a failure.
//
// An input is the file and, behind a NUL (which JSON cannot hold), the text to be encoded; without
// one the text is a sample.
#include "messages/prompt/tokenizer.hpp"
#include "messages/prompt/utf8.hpp"
#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"

namespace weft::messages {
namespace {

// Words, runs of space, digits, combining marks, conjoining Hangul, tokens of chats.
constexpr std::string_view sample =
    "he said: hello,  world's 123\r\n\n\tA\u030A\u0301 \u1112\u1161\u11AB \u00E9 \U0001F600   "
    "<|im_start|>user\nhe<|im_end|> ";

void check(const tokenizer& words, std::string_view text, special_tokens how) {
  const auto ids = words.encode(text, how);
  if (!ids.ok()) {
    WEFT_ASSERT(!ids.error().message.empty());
    return;
  }
  WEFT_ASSERT(ids->size() <= 4 * text.size());  // Normalization at most triples a text.
  for (const token_id id : *ids) WEFT_ASSERT(words.bytes_of(id).has_value());
  const auto decoded = words.decode(*ids);
  WEFT_ASSERT(decoded.ok());
  WEFT_ASSERT(!first_invalid_utf8(*decoded));
}

}  // namespace
}  // namespace weft::messages

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::messages;
  const std::string_view input = weft::fuzz::text_of(data, size);
  const std::size_t file_bytes = input.find('\0');
  const std::string_view text =
      file_bytes == std::string_view::npos ? sample : input.substr(file_bytes + 1);
  const auto words = tokenizer::parse(input.substr(0, file_bytes));
  if (!words.ok()) {
    WEFT_ASSERT(!words.error().message.empty());
    return 0;
  }
  check(*words, text, special_tokens::recognized);
  check(*words, text, special_tokens::plain);
  return 0;
}
