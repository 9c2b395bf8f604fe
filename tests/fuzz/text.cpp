// Text through a tokenizer: what was encoded decodes to the same text in form C, whole or as a
// stream, and any ids at all decode to valid text.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include <utf8proc.h>

#include "messages/prompt/normalize.hpp"
#include "messages/prompt/token_stream.hpp"
#include "messages/prompt/tokenizer.hpp"
#include "messages/prompt/utf8.hpp"
#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"
#include "tests/fuzz/reduced_tokenizer.hpp"

namespace weft::messages {
namespace {

const tokenizer& words() { return fuzz::reduced_tokenizer(); }

// The whole text in form C, by the library alone.
std::string composed(std::string_view text) {
  utf8proc_uint8_t* raw = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(text.data()),
                   static_cast<utf8proc_ssize_t>(text.size()), &raw,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, void (*)(void*)> owned(raw, std::free);
  WEFT_ASSERT(length >= 0);
  return {reinterpret_cast<const char*>(raw), static_cast<std::size_t>(length)};
}

std::string streamed(const token_ids& ids) {
  token_stream stream(words());
  std::string text;
  for (const token_id id : ids) text += stream.push(id).value();
  return text + stream.flush();
}

void check_text(std::string_view text) {
  const bool valid = !first_invalid_utf8(text);
  const auto plain = words().encode(text, special_tokens::plain);
  const auto recognized = words().encode(text, special_tokens::recognized);
  WEFT_ASSERT(plain.ok() == valid && recognized.ok() == valid);
  if (!valid) return;
  const std::string wanted = composed(text);
  std::string storage;
  WEFT_ASSERT(normalize_nfc(text, storage).value() == wanted);
  WEFT_ASSERT(words().decode(*plain).value() == wanted);
  WEFT_ASSERT(streamed(*plain) == wanted);
  WEFT_ASSERT(streamed(*recognized) == words().decode(*recognized).value());
}

// Every two bytes as an id.
void check_ids(std::span<const std::byte> bytes) {
  token_ids ids;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const auto id =
        std::to_integer<token_id>(bytes[at]) * 256 + std::to_integer<token_id>(bytes[at + 1]);
    if (words().bytes_of(id)) ids.push_back(id);
  }
  const auto text = words().decode(ids);
  WEFT_ASSERT(text.ok() && !first_invalid_utf8(*text));
  WEFT_ASSERT(streamed(ids) == *text);
}

}  // namespace
}  // namespace weft::messages

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  weft::messages::check_text(weft::fuzz::text_of(data, size));
  weft::messages::check_ids(weft::fuzz::bytes_of(data, size));
  return 0;
}
