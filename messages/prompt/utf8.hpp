// UTF-8 as bytes: is it valid, where is it not, what stands in for the invalid parts.
//
// "Repaired" text is what Rust's String::from_utf8_lossy and the Unicode standard (maximal
// subparts, section 3.9) make of bytes: each longest prefix of a character that cannot be completed
// becomes one U+FFFD. Tokenizers decode that way, so we do too. Pure functions; any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace weft::messages {

// What stands at the start of some bytes.
struct utf8_step {
  enum class kind_of_step : unsigned char {
    character,   // A whole character of `length` bytes.
    invalid,     // `length` bytes that no continuation can mend.
    incomplete,  // The bytes end inside a character that more bytes could complete.
  };
  kind_of_step kind = kind_of_step::invalid;
  std::size_t length = 1;
  char32_t character = 0;  // Of a whole character only.
};

// Requires: not bytes.empty().
utf8_step step_utf8(std::string_view bytes);

// Offset at which the last character of `text` starts.
// Requires: valid UTF-8, not empty.
std::size_t last_character(std::string_view text);

// Offset of the first byte that is not part of valid UTF-8, or nullopt.
std::optional<std::size_t> first_invalid_utf8(std::string_view bytes);

// Length of `bytes` without the incomplete character at its end, if there is one: at most 3 less.
std::size_t complete_utf8(std::string_view bytes);

// Appends `bytes` to `text`, each invalid or incomplete part as one U+FFFD.
void append_repaired(std::string& text, std::string_view bytes);

// `text` for an error message: in quotes, repaired, at most 40 bytes of it.
std::string in_quotes(std::string_view text);

}  // namespace weft::messages
