// JSON lines in, JSON lines out: every line is answered in its place, a bad one by {"error":
// "..."}.
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <string>

#include "actors/program/console.hpp"
#include "actors/program/output.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::actors {

// Calls `answer` with each line that is not blank and writes what it returns at once, so that a
// caller may hold a conversation; a file is there when all lines are answered. Returns exit_failed
// when any line was bad, else exit_done; a failure when nothing more can be written.
result<int> answer_lines(std::istream& lines, output& to,
                         const std::function<result<std::string>(const std::string& line)>& answer);

// The same over the operand's file, or standard input when `path` is empty or "-".
result<int> answer_lines_of(
    const std::string& path, console& at, output& to,
    const std::function<result<std::string>(const std::string& line)>& answer);

}  // namespace weft::actors
