// A model's profile, `weft.json` beside its `config.json`: how its prompts are cut and spliced.
//
//   {"seam": {"head": 8, "tail": 16}, "anchor": ["...", "..."], "separator": "<<PIC_SEP>>"}
//
// Every key is optional. `separator` may be null or false: then plain text is not cut. Unknown keys
// are refused, since a misspelt one would silently change answers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "messages/prompt/segment.hpp"
#include "policies/vocabulary/mode.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::messages {

struct profile {
  weft::seam seam;  // Whether it suits the model's convolution, `check_seam` says.
  std::vector<std::string>
      anchor;  // Segments, none empty, to be tokenized one by one; none: no anchor.
  std::optional<std::string> separator = std::string(default_separator);  // nullopt: off.
};

// `rejected`, naming the key, if `json` is not such an object.
result<profile> parse_profile(std::string_view json);

// The profile in the file at `path`; defaults if there is no file. Failures begin with the path.
result<profile> load_profile(const std::filesystem::path& path);

}  // namespace weft::messages
