#include "actors/program/output.hpp"

#include <utility>

namespace weft::actors {

result<output> output::make(console& at, const std::string& json_path) {
  output made;
  made.text_ = &at.out;
  made.text_is_terminal_ = at.out_is_terminal;
  made.colours_ = at.colours;
  if (json_path == "-") {
    made.json_ = &at.out;
    made.text_ = &at.err;
    made.text_is_terminal_ = at.err_is_terminal;
  } else if (!json_path.empty()) {
    auto file = result_file::make(json_path);
    if (!file) return file.error();
    made.file_ = std::move(file).value();
  }
  return made;
}

status output::write_json(std::string_view document) {
  if (status written = write_json_line(document); !written) return written;
  return finish_json();
}

status output::write_json_line(std::string_view line) {
  if (file_) return file_->write(std::string(line) + "\n");
  if (json_ == nullptr) return {};
  *json_ << line << '\n' << std::flush;
  if (*json_) return {};
  return unavailable("cannot write to standard output: it takes no more");
}

status output::finish_json() { return file_ ? file_->finish() : status{}; }

std::string output::painted(const char* code, std::string_view words) const {
  if (!text_is_terminal_ || !colours_) return std::string(words);
  return "\x1b[" + std::string(code) + "m" + std::string(words) + "\x1b[0m";
}

}  // namespace weft::actors
