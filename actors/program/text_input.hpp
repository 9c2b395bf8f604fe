// Text from a file or from standard input.
//
// A file that cannot be read (missing, a folder, a failing disk) is `unavailable` and named.
#pragma once

#include <fstream>
#include <string>

#include "actors/program/console.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::actors {

// Does `path` stand for standard input? It does when empty or "-".
bool is_standard_input(const std::string& path);

// The file, open for reading. Requires: not is_standard_input(path).
result<std::ifstream> open_text(const std::string& path);

// All of a file, or of standard input.
result<std::string> read_text(const std::string& path, console& at);

}  // namespace weft::actors
