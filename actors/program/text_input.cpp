#include "actors/program/text_input.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <istream>

namespace weft::actors {
namespace {

failure cannot_read(const std::string& path, const char* why) {
  return unavailable("cannot read '" + path + "': " + why);
}

// Reads by blocks: a stream's iterators would throw on a failing disk.
bool read_all(std::istream& from, std::string& text) {
  std::array<char, 1 << 16> block;
  while (from.read(block.data(), block.size()) || from.gcount() > 0)
    text.append(block.data(), static_cast<std::size_t>(from.gcount()));
  return !from.bad();
}

}  // namespace

bool is_standard_input(const std::string& path) { return path.empty() || path == "-"; }

result<std::ifstream> open_text(const std::string& path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) return cannot_read(path, "it is a folder");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file.is_open()) return cannot_read(path, std::strerror(errno));
  return file;
}

result<std::string> read_text(const std::string& path, console& at) {
  std::string text;
  if (is_standard_input(path)) {
    if (!read_all(at.in, text)) return cannot_read("standard input", "it failed half way");
    return text;
  }
  auto file = open_text(path);
  if (!file) return file.error();
  if (!read_all(*file, text)) return cannot_read(path, "it failed half way");
  return text;
}

}  // namespace weft::actors
