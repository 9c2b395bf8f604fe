#include "actors/program/json_lines.hpp"

#include <new>

#include <nlohmann/json.hpp>

#include "actors/program/text_input.hpp"
#include "actors/program/words.hpp"

namespace weft::actors {
namespace {

std::string error_line(std::int64_t number, const failure& error) {
  const nlohmann::json line = {{"error", "line " + std::to_string(number) + ": " + error.message}};
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// One line that is too large for this machine leaves the others their answers.
result<std::string> answered_within_memory(
    const std::function<result<std::string>(const std::string&)>& answer, const std::string& line) {
  try {
    return answer(line);
  } catch (const std::bad_alloc&) {
    return overloaded("this machine has not enough memory for it");
  }
}

}  // namespace

result<int> answer_lines(std::istream& lines, output& to,
                         const std::function<result<std::string>(const std::string&)>& answer) {
  int code = exit_done;
  std::string line;
  for (std::int64_t number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    result<std::string> answered = answered_within_memory(answer, line);
    if (!answered) code = exit_failed;
    const status written =
        to.write_json_line(answered ? *answered : error_line(number, answered.error()));
    if (!written) return written.error();
  }
  // getline ends at a failing disk, and at a line that does not fit in memory, as at the last line.
  if (lines.bad() || !lines.eof())
    return unavailable("the input failed half way; " +
                       (to.json_path().empty() ? "the lines before are answered"
                                               : "'" + to.json_path() + "' is left as it was"));
  if (const status finished = to.finish_json(); !finished) return finished.error();
  return code;
}

result<int> answer_lines_of(const std::string& path, console& at, output& to,
                            const std::function<result<std::string>(const std::string&)>& answer) {
  if (is_standard_input(path)) return answer_lines(at.in, to, answer);
  auto file = open_text(path);
  if (!file) return file.error();
  return answer_lines(*file, to, answer);
}

}  // namespace weft::actors
