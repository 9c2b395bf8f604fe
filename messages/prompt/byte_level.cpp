#include "messages/prompt/byte_level.hpp"

#include <array>

#include "messages/prompt/utf8.hpp"

namespace weft::messages {

namespace {

constexpr int character_max = 0x100 + 68;

struct alphabet {
  std::array<std::array<char, 2>, 256> symbol{};  // UTF-8; every character is below U+0800.
  std::array<std::size_t, 256> length{};
  std::array<int, character_max> byte{};  // -1: not of the alphabet.

  constexpr alphabet() {
    byte.fill(-1);
    int spare = 0x100;
    for (int value = 0; value < 256; ++value) {
      const bool itself =
          (value >= 33 && value <= 126) || (value >= 161 && value <= 172) || value >= 174;
      const int character = itself ? value : spare++;
      const auto at = static_cast<std::size_t>(value);
      byte[static_cast<std::size_t>(character)] = value;
      length[at] = character < 0x80 ? 1 : 2;
      symbol[at] = character < 0x80
                       ? std::array<char, 2>{static_cast<char>(character), 0}
                       : std::array<char, 2>{static_cast<char>(0xC0 | character >> 6),
                                             static_cast<char>(0x80 | (character & 0x3F))};
    }
  }
};

constexpr alphabet letters;

}  // namespace

std::string_view byte_level_symbol(unsigned char byte) {
  return {letters.symbol[byte].data(), letters.length[byte]};
}

std::string byte_level_symbols(std::string_view bytes) {
  std::string symbols;
  for (const char byte : bytes) symbols += byte_level_symbol(static_cast<unsigned char>(byte));
  return symbols;
}

std::optional<std::string> byte_level_bytes(std::string_view symbols) {
  std::string bytes;
  while (!symbols.empty()) {
    const utf8_step step = step_utf8(symbols);
    if (step.kind != utf8_step::kind_of_step::character) return std::nullopt;
    if (step.character >= character_max) return std::nullopt;
    const int byte = letters.byte[step.character];
    if (byte < 0) return std::nullopt;
    bytes.push_back(static_cast<char>(byte));
    symbols.remove_prefix(step.length);
  }
  return bytes;
}

}  // namespace weft::messages
