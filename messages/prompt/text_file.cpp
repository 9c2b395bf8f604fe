#include "messages/prompt/text_file.hpp"

#include <array>
#include <fstream>

namespace weft::messages {

result<std::string> read_text_file(const std::filesystem::path& path, std::size_t bytes_max) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    return unavailable(path.string() + " is a folder, not a file");
  }
  // A named pipe would wait for a writer that may never come.
  if (std::filesystem::is_fifo(path, ignored)) {
    return unavailable(path.string() + " is a pipe, not a file");
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) return unavailable(path.string() + " cannot be opened for reading");
  std::string bytes;
  std::array<char, 65536> block;
  // Read in blocks and not by the size the file system tells: a pipe has none, and a file may grow.
  while (file.read(block.data(), block.size()) || file.gcount() > 0) {
    bytes.append(block.data(), static_cast<std::size_t>(file.gcount()));
    if (bytes.size() > bytes_max) {
      return rejected(path.string() + " is longer than " + std::to_string(bytes_max) + " bytes");
    }
  }
  if (file.bad()) return unavailable(path.string() + " cannot be read to its end");
  return bytes;
}

}  // namespace weft::messages
