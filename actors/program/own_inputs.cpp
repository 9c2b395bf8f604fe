#include "actors/program/own_inputs.hpp"

#include <filesystem>
#include <vector>

namespace weft::actors {
namespace {

namespace fs = std::filesystem;

// One and the same file, or what would become it.
bool same_place(const fs::path& one, const fs::path& other) {
  std::error_code error;
  if (fs::equivalent(one, other, error)) return fs::is_regular_file(one, error);
  if (fs::exists(one, error) || fs::exists(other, error)) return false;
  const fs::path first = fs::weakly_canonical(one, error);
  return !first.empty() && first == fs::weakly_canonical(other, error);
}

// A folder's files are read, whichever of them: links lead to where a cache keeps them.
bool reads(const fs::path& input, const fs::path& output) {
  std::error_code error;
  if (!fs::is_directory(input, error)) return same_place(input, output);
  for (auto file = fs::directory_iterator(input, error); !error && file != fs::directory_iterator();
       file.increment(error))
    if (same_place(file->path(), output)) return true;
  return false;
}

struct place {
  std::string who;  // "--data", "the input".
  std::string path;
};

}  // namespace

std::optional<std::string> overwritten_input(std::span<const option_rule> rules,
                                             const options& given) {
  std::vector<place> inputs;
  std::vector<place> outputs;
  for (const option_rule& rule : rules) {
    if (rule.use == file_use::none || !given.given(rule.name)) continue;
    const std::string path = given.text(rule.name);
    if (rule.use == file_use::read) inputs.push_back({std::string(rule.name), path});
    if (rule.use == file_use::written && path != "-")
      outputs.push_back({std::string(rule.name), path});
  }
  for (const std::string& operand : given.operands())
    if (operand != "-") inputs.push_back({"the input", operand});
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const auto& [name, path] = outputs[i];
    for (const place& input : inputs)
      if (reads(input.path, path))
        return name + " '" + path + "' would overwrite what " + input.who + " '" + input.path +
               "' names; give it another name";
    for (std::size_t j = 0; j < i; ++j)
      if (same_place(outputs[j].path, path))
        return outputs[j].who + " and " + name + " name the same file";
  }
  return std::nullopt;
}

}  // namespace weft::actors
