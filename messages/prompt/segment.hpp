// A prompt's segments as text, and plain text cut into them.
//
// Of a prompt's segments the first is the lead, the last the question, those between are documents;
// a single one is a question. Who plans the request gives them these roles; here they are parts.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace weft::messages {

// What parts two segments of plain text unless a profile says otherwise.
inline constexpr std::string_view default_separator = "<<PIC_SEP>>";

struct prompt_segment {
  std::string text;      // UTF-8, not empty.
  bool reusable = true;  // False: computed in context, never kept.

  friend bool operator==(const prompt_segment&, const prompt_segment&) = default;
};

// `text` cut at each `separator`, which belongs to no part; empty parts are dropped, white space is
// kept. Without a separator (nullopt or empty) the text is one segment, or none if it is empty.
std::vector<prompt_segment> cut_segments(std::string_view text,
                                         const std::optional<std::string>& separator);

}  // namespace weft::messages
