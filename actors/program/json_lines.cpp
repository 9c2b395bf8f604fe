#include "actors/program/json_lines.hpp"

#include <nlohmann/json.hpp>

#include "actors/program/text_input.hpp"
#include "actors/program/words.hpp"

namespace weft::actors {
namespace {

std::string error_line(std::int64_t number, const failure& error) {
  const nlohmann::json line = {{"error", "line " + std::to_string(number) + ": " + error.message}};
  return line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

result<int> answer_lines(std::istream& lines, output& to,
                         const std::function<result<std::string>(const std::string&)>& answer) {
  int code = exit_done;
  std::string line;
  for (std::int64_t number = 1; std::getline(lines, line); ++number) {
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    result<std::string> answered = answer(line);
    if (!answered) code = exit_failed;
    const status written =
        to.write_json(answered ? *answered : error_line(number, answered.error()));
    if (!written) return written.error();
  }
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
