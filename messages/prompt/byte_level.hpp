// The byte-level alphabet of GPT-2 and its followers: one printable character for each byte, so
// that a vocabulary of arbitrary bytes can be written as text.
//
// Bytes 33-126, 161-172 and 174-255 stand for themselves; the other 68, in order, for U+0100 and
// up. Pure functions; any thread.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace weft::messages {

// The character of `byte`, as UTF-8.
std::string_view byte_level_symbol(unsigned char byte);

// `bytes`, each as its character.
std::string byte_level_symbols(std::string_view bytes);

// The bytes that `symbols` (UTF-8) stand for, or nullopt if a character is not of the alphabet.
std::optional<std::string> byte_level_bytes(std::string_view symbols);

}  // namespace weft::messages
