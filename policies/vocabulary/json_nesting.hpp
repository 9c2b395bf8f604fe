// How deep a JSON text nests: asked before parsing, since a parser's value is copied and printed by
// recursion, which hostile nesting would drive through the stack.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace weft {

// Files and lines that we read nest 6 levels at most.
inline constexpr std::size_t json_depth_max = 64;

// Deepest nesting of brackets outside strings. Text that is not JSON gives a number that does not
// matter: the parser refuses it.
std::size_t json_nesting(std::string_view text);

// Why `text` must not be given to a parser, as the rest of a sentence about it; empty where nothing
// speaks against it. Besides nesting that is a byte 0, which no JSON has, and at which parsers stop
// as if nothing stood behind it.
std::string json_complaint(std::string_view text);

}  // namespace weft
