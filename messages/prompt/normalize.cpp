#include "messages/prompt/normalize.hpp"

#include <array>
#include <cstdlib>
#include <memory>

#include <utf8proc.h>

#include "messages/prompt/utf8.hpp"

namespace weft::messages {

namespace {

// Characters below U+0300 are in form C and never combine with what is before them, so the text may
// be cut in front of each. In UTF-8 their lead byte, and every continuation byte, is below 0xCC.
bool is_low(char byte) { return static_cast<unsigned char>(byte) < 0xCC; }

// Whether `character` is in form C by itself and never combines with what is before it. All that do
// combine are marks or the vowels and finals of conjoining Hangul.
bool is_calm(char32_t character) {
  const auto code = static_cast<utf8proc_int32_t>(character);
  if (code >= 0xAC00 && code <= 0xD7A3) return true;  // Composed Hangul.
  if (code >= 0x1160 && code <= 0x11FF) return false;
  switch (utf8proc_category(code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME: return false;
    default: break;
  }
  std::array<utf8proc_int32_t, 4> parts{};
  int boundary = 0;
  const utf8proc_ssize_t count = utf8proc_decompose_char(
      code, parts.data(), parts.size(),
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &boundary);
  return count == 1 && parts[0] == code;
}

// Offset of the first character at or after `from` that is not calm, or the text's end.
std::size_t next_active(std::string_view text, std::size_t from) {
  std::size_t at = from;
  while (at < text.size()) {
    if (is_low(text[at])) {
      ++at;
      continue;
    }
    const utf8_step step = step_utf8(text.substr(at));
    if (!is_calm(step.character)) return at;
    at += step.length;
  }
  return at;
}

struct free_memory {
  void operator()(utf8proc_uint8_t* memory) const { std::free(memory); }
};

status append_composed(std::string_view run, std::string& storage) {
  utf8proc_uint8_t* raw = nullptr;
  const utf8proc_ssize_t length =
      utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(run.data()),
                   static_cast<utf8proc_ssize_t>(run.size()), &raw,
                   static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
  const std::unique_ptr<utf8proc_uint8_t, free_memory> owned(raw);
  if (length < 0) {
    return rejected(std::string("the text cannot be normalized: ") + utf8proc_errmsg(length));
  }
  storage.append(reinterpret_cast<const char*>(raw), static_cast<std::size_t>(length));
  return {};
}

}  // namespace

// The library is slow beside the rest of a tokenizer, so it sees only the stretches, between low
// characters, that hold something to compose.
result<std::string_view> normalize_nfc(std::string_view text, std::string& storage) {
  std::size_t active = next_active(text, 0);
  if (active == text.size()) return text;
  storage.clear();
  std::size_t done = 0;
  while (active < text.size()) {
    // From the low character before (which marks may join), to the next one.
    std::size_t begin = active;
    while (begin > done) {
      begin = last_character(text.substr(0, begin));
      if (is_low(text[begin])) break;
    }
    std::size_t end = active;
    while (end < text.size() && !is_low(text[end])) end += step_utf8(text.substr(end)).length;
    storage.append(text.substr(done, begin - done));
    const status composed = append_composed(text.substr(begin, end - begin), storage);
    if (!composed.ok()) return composed.error();
    done = end;
    active = next_active(text, end);
  }
  storage.append(text.substr(done));
  return std::string_view(storage);
}

}  // namespace weft::messages
