// Gives a fuzz target the inputs in files, one after the other:
//
//   replay_TARGET FILE_OR_FOLDER...
//
// Stands in for libFuzzer where there is none, so that every compiler and sanitizer tries what was
// found once. Says how many there were; none is a failure, since then a path is wrong.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "tests/fuzz/input.hpp"

namespace {

namespace fs = std::filesystem;

void add_files(const fs::path& path, std::vector<fs::path>& files) {
  if (fs::is_regular_file(path)) files.push_back(path);
  if (!fs::is_directory(path)) return;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path)) {
    if (entry.is_regular_file()) files.push_back(entry.path());
  }
}

void replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(file), {});
  // As large as the input and no larger, so that reading beyond it is seen.
  const auto bytes = std::make_unique<std::uint8_t[]>(content.size());
  std::copy(content.begin(), content.end(), bytes.get());
  LLVMFuzzerTestOneInput(bytes.get(), content.size());
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<fs::path> files;
  for (int i = 1; i < count; ++i) add_files(arguments[i], files);
  std::sort(files.begin(), files.end());
  for (const fs::path& file : files) {
    std::printf("%s\n", file.c_str());
    std::fflush(stdout);  // The last one named is the culprit.
    replay(file);
  }
  std::printf("%zu inputs\n", files.size());
  return files.empty() ? 1 : 0;
}
