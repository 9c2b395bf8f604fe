#include "messages/prompt/utf8.hpp"

#include <cstdint>
#include <cstring>

#include "policies/vocabulary/assert.hpp"

namespace weft::messages {

namespace {

using step_kind = utf8_step::kind_of_step;

constexpr std::string_view replacement = "\xEF\xBF\xBD";

// What a lead byte promises: total length, and the range its second byte must lie in (Unicode table
// 3-7; the narrower ranges shut out overlong forms, surrogates and what is above U+10FFFF).
struct lead_byte {
  std::size_t length = 0;  // 0: no character starts with this byte.
  unsigned char second_min = 0x80;
  unsigned char second_max = 0xBF;
};

lead_byte classify(unsigned char lead) {
  if (lead < 0x80) return {1};
  if (lead < 0xC2) return {0};
  if (lead < 0xE0) return {2};
  if (lead == 0xE0) return {3, 0xA0, 0xBF};
  if (lead == 0xED) return {3, 0x80, 0x9F};
  if (lead < 0xF0) return {3};
  if (lead == 0xF0) return {4, 0x90, 0xBF};
  if (lead < 0xF4) return {4};
  if (lead == 0xF4) return {4, 0x80, 0x8F};
  return {0};
}

// Bytes of ASCII at the start of `bytes`, eight at a time.
std::size_t ascii_prefix(std::string_view bytes) {
  std::size_t at = 0;
  while (at + 8 <= bytes.size()) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, 8);
    if ((word & 0x8080808080808080U) != 0) break;
    at += 8;
  }
  while (at < bytes.size() && static_cast<unsigned char>(bytes[at]) < 0x80) ++at;
  return at;
}

}  // namespace

utf8_step step_utf8(std::string_view bytes) {
  WEFT_ASSERT(!bytes.empty());
  const auto lead = static_cast<unsigned char>(bytes[0]);
  const lead_byte promise = classify(lead);
  if (promise.length == 0) return {step_kind::invalid, 1, 0};
  if (promise.length == 1) return {step_kind::character, 1, lead};
  char32_t character = lead & (0x7FU >> promise.length);
  for (std::size_t i = 1; i < promise.length; ++i) {
    if (i == bytes.size()) return {step_kind::incomplete, i, 0};
    const auto next = static_cast<unsigned char>(bytes[i]);
    const unsigned char min = i == 1 ? promise.second_min : 0x80;
    const unsigned char max = i == 1 ? promise.second_max : 0xBF;
    if (next < min || next > max) return {step_kind::invalid, i, 0};
    character = character << 6 | (next & 0x3FU);
  }
  return {step_kind::character, promise.length, character};
}

std::size_t last_character(std::string_view text) {
  WEFT_ASSERT(!text.empty());
  std::size_t at = text.size() - 1;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xC0U) == 0x80U) --at;
  return at;
}

std::optional<std::size_t> first_invalid_utf8(std::string_view bytes) {
  std::size_t at = 0;
  while (true) {
    at += ascii_prefix(bytes.substr(at));
    if (at == bytes.size()) return std::nullopt;
    const utf8_step step = step_utf8(bytes.substr(at));
    if (step.kind != step_kind::character) return at;
    at += step.length;
  }
}

std::size_t complete_utf8(std::string_view bytes) {
  // An incomplete character is at most 3 bytes, and its lead byte is the last one that is not a
  // continuation.
  for (std::size_t back = 1; back <= 3 && back <= bytes.size(); ++back) {
    const std::size_t at = bytes.size() - back;
    const auto byte = static_cast<unsigned char>(bytes[at]);
    if ((byte & 0xC0U) == 0x80U) continue;
    return step_utf8(bytes.substr(at)).kind == step_kind::incomplete ? at : bytes.size();
  }
  return bytes.size();
}

void append_repaired(std::string& text, std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t plain = ascii_prefix(bytes);
    text.append(bytes.substr(0, plain));
    bytes.remove_prefix(plain);
    if (bytes.empty()) return;
    const utf8_step step = step_utf8(bytes);
    text.append(step.kind == step_kind::character ? bytes.substr(0, step.length) : replacement);
    bytes.remove_prefix(step.length);
  }
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t bytes_max = 40;  // Enough to recognize a token or a key in one log line.
  std::string shown = "'";
  append_repaired(shown, text.substr(0, complete_utf8(text.substr(0, bytes_max))));
  for (char& byte : shown) {
    if (static_cast<unsigned char>(byte) < 0x20) byte = ' ';
  }
  shown += text.size() > bytes_max ? "...'" : "'";
  return shown;
}

}  // namespace weft::messages
