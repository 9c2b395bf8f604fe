#include "actors/program/text_input.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <istream>

#include "messages/prompt/prompt_file.hpp"

namespace weft::actors {
namespace {

failure cannot_read(const std::string& path, const char* why) {
  return unavailable("cannot read '" + path + "': " + why);
}

// Reads by blocks: a stream's iterators would throw on a failing disk.
status read_all(std::istream& from, const std::string& name, std::string& text) {
  std::array<char, 1 << 16> block;
  while (from.read(block.data(), block.size()) || from.gcount() > 0) {
    text.append(block.data(), static_cast<std::size_t>(from.gcount()));
    if (text.size() > messages::prompt_file_bytes_max)
      return rejected(name + " is longer than the " +
                      std::to_string(messages::prompt_file_bytes_max >> 20) +
                      " MiB that a prompt may have");
  }
  if (from.bad()) return cannot_read(name, "it failed half way");
  return {};
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
    if (const status read = read_all(at.in, "standard input", text); !read) return read.error();
    return text;
  }
  auto file = open_text(path);
  if (!file) return file.error();
  if (const status read = read_all(*file, path, text); !read) return read.error();
  return text;
}

}  // namespace weft::actors
