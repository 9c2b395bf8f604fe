// The samples of an evaluation: JSON lines of segments and the answer that is wanted.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "messages/prompt/segment.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::actors {

struct eval_sample {
  std::string id;    // The line's own, else its number.
  std::string task;  // Empty: none.
  std::vector<messages::prompt_segment> segments;
  std::string answer;
};

// The first `limit` samples of `path` (0: all). Fails on the first bad line, naming file and line:
// a measurement on part of the data would be another measurement.
result<std::vector<eval_sample>> read_eval_data(const std::string& path, std::int64_t limit);

}  // namespace weft::actors
