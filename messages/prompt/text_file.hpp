// A whole file as bytes, with a bound.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// The bytes of the file at `path`. `unavailable` if it cannot be read, `rejected` if it is longer
// than `bytes_max`; both name the path. Blocks on the file system.
result<std::string> read_text_file(const std::filesystem::path& path, std::size_t bytes_max);

}  // namespace weft::messages
