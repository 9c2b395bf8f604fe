// One line of JSON that holds text, token ids or a prompt: read, checked, and nothing else.
//
// A line that is no JSON object, lacks its member or holds something else is `rejected`, and the
// sentence says which. Other members are left alone, so that lines may carry names of their own.
#pragma once

#include <string>
#include <vector>

#include "messages/prompt/segment.hpp"
#include "policies/vocabulary/result.hpp"
#include "policies/vocabulary/token.hpp"

namespace weft::actors {

// {"text": "..."}
result<std::string> text_of_line(const std::string& line);

// {"ids": [1, 2, 3]}
result<token_ids> ids_of_line(const std::string& line);

// {"segments": ["...", {"text": "...", "reuse": false}]} or {"ids": [[1, 2], [3]]}
struct scored_line {
  bool has_ids = false;  // Which of the two it is.
  std::vector<messages::prompt_segment> segments;
  std::vector<token_ids> ids;
};
result<scored_line> scored_line_of(const std::string& line);

}  // namespace weft::actors
