// A prompt as a file: JSON, or plain text with separators.
//
// JSON, all but `segments` optional:
//
//   {"segments": ["...", {"text": "...", "reuse": false}], "max_tokens": 64}
//
// A file whose first byte that is not white space is `{` is JSON, and then it must be right: a slip
// in it is an error, not a prompt. Any other file is text, taken as it stands (its last newline
// too), cut at the separator. Inside the segments of JSON the separator is text. Empty segments are
// dropped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/prompt/segment.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::messages {

inline constexpr std::size_t prompt_file_bytes_max = std::size_t{64}
                                                     << 20;  // 16 M tokens, roughly.
inline constexpr std::int64_t new_tokens_max = 1'000'000;    // Of `max_tokens`.

struct prompt_file {
  std::vector<prompt_segment> segments;  // At least one.
  std::optional<std::int64_t>
      max_tokens;  // New tokens wanted, 0 to `new_tokens_max`; absent: unsaid.
};

// `rejected`, naming key, line or byte, if the text is not UTF-8, not such a JSON object although
// it begins like one, or holds no segment that is not empty.
result<prompt_file> parse_prompt_file(std::string_view text,
                                      const std::optional<std::string>& separator);

// The same from a file; failures begin with its path. `unavailable` if it cannot be read.
result<prompt_file> load_prompt_file(const std::filesystem::path& path,
                                     const std::optional<std::string>& separator);

}  // namespace weft::messages
