#include "actors/program/eval_data.hpp"

#include <nlohmann/json.hpp>

#include "actors/program/text_input.hpp"
#include "actors/program/token_lines.hpp"

namespace weft::actors {
namespace {

using nlohmann::json;

result<eval_sample> sample_of(const std::string& line, std::int64_t number) {
  auto prompt = scored_line_of(line);  // Checks that it is an object and what its segments are.
  if (!prompt) return prompt.error();
  if (prompt->has_ids || prompt->segments.empty()) return rejected("a sample needs \"segments\"");
  const json object = json::parse(line, nullptr, false);
  eval_sample sample;
  sample.id = std::to_string(number);
  sample.segments = std::move(prompt->segments);
  const auto answer = object.find("answer");
  if (answer == object.end() || !answer->is_string())
    return rejected("a sample needs an \"answer\" that is a string");
  sample.answer = answer->get<std::string>();
  if (const auto id = object.find("id"); id != object.end())
    sample.id = id->is_string() ? id->get<std::string>() : id->dump();
  if (const auto task = object.find("task"); task != object.end() && task->is_string())
    sample.task = task->get<std::string>();
  return sample;
}

}  // namespace

result<std::vector<eval_sample>> read_eval_data(const std::string& path, std::int64_t limit) {
  auto file = open_text(path);
  if (!file) return file.error();
  std::vector<eval_sample> samples;
  std::string line;
  for (std::int64_t number = 1; std::getline(*file, line); ++number) {
    if (limit > 0 && static_cast<std::int64_t>(samples.size()) == limit) break;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    auto sample = sample_of(line, number);
    if (!sample)
      return rejected(path + ":" + std::to_string(number) + ": " + sample.error().message);
    samples.push_back(std::move(*sample));
  }
  if (file->bad()) return unavailable("cannot read '" + path + "' to its end");
  if (samples.empty()) return rejected("'" + path + "' has no samples");
  return samples;
}

}  // namespace weft::actors
