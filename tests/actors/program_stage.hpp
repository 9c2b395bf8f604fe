// Runs the program's words in this process, on strings for streams.
#pragma once

#include <sstream>
#include <string>
#include <vector>

#include "actors/program/console.hpp"
#include "actors/program/words.hpp"

namespace weft::actors {

inline const std::string source_folder = WEFT_SOURCE_DIR;
inline const std::string tiny_model = source_folder + "/examples/models/tiny-qwen3_5";

struct program_outcome {
  int code = 0;
  std::string out;
  std::string err;
};

inline program_outcome run_weft(const std::vector<std::string>& arguments,
                                const std::string& input = "") {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  console at{.in = in, .out = out, .err = err};
  const int code = run_program(arguments, at);
  return {.code = code, .out = out.str(), .err = err.str()};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

}  // namespace weft::actors
