// A chat's messages as a client sends them: any bytes are segments of a prompt, or a failure.
#include "messages/prompt/chat.hpp"

#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/reduced_tokenizer.hpp"

namespace weft::messages {
namespace {

const tokenizer& words() { return fuzz::reduced_tokenizer(); }

void check(const std::vector<chat_message>& messages, const chat_options& options) {
  const auto segments = lay_out_chat(messages, words(), options);
  if (!segments.ok()) {
    WEFT_ASSERT(!segments.error().message.empty());
    return;
  }
  WEFT_ASSERT(!segments->empty());
  for (const chat_segment& segment : *segments) {
    WEFT_ASSERT(!segment.pieces.empty());
    for (const chat_piece& piece : segment.pieces) WEFT_ASSERT(!piece.text.empty());
    WEFT_ASSERT(tokenize(words(), segment).ok());
  }
}

}  // namespace
}  // namespace weft::messages

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::messages;
  const auto messages = parse_chat_messages(weft::fuzz::text_of(data, size));
  if (!messages.ok()) {
    WEFT_ASSERT(!messages.error().message.empty());
    return 0;
  }
  for (const chat_thinking thinking :
       {chat_thinking::unset, chat_thinking::off, chat_thinking::on}) {
    check(*messages, {.thinking = thinking, .separator = std::nullopt});
    check(*messages, {.thinking = thinking, .separator = "\n"});
  }
  return 0;
}
