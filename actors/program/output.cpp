#include "actors/program/output.hpp"

#include <cerrno>
#include <cstring>

namespace weft::actors {

result<output> output::make(console& at, const std::string& json_path) {
  output made;
  made.json_path_ = json_path;
  made.text_ = &at.out;
  made.text_is_terminal_ = at.out_is_terminal;
  made.colours_ = at.colours;
  if (json_path == "-") {
    made.json_ = &at.out;
    made.text_ = &at.err;
    made.text_is_terminal_ = at.err_is_terminal;
  } else if (!json_path.empty()) {
    errno = 0;
    made.file_ = std::make_unique<std::ofstream>(json_path, std::ios::binary | std::ios::app);
    if (!*made.file_)
      return unavailable("cannot write '" + json_path + "': " + std::strerror(errno));
    made.json_ = made.file_.get();
  }
  return made;
}

status output::write_json(std::string_view document) {
  if (json_ == nullptr) return {};
  // Only now is what the file held given up: a run that fails before keeps an earlier result.
  if (file_ && !written_) {
    file_->close();
    file_->open(json_path_, std::ios::binary | std::ios::trunc);
  }
  written_ = true;
  *json_ << document << '\n' << std::flush;
  if (*json_) return {};
  const std::string where = file_ ? "'" + json_path_ + "'" : "standard output";
  return unavailable("cannot write to " + where + ": it takes no more");
}

std::string output::painted(const char* code, std::string_view words) const {
  if (!text_is_terminal_ || !colours_) return std::string(words);
  return "\x1b[" + std::string(code) + "m" + std::string(words) + "\x1b[0m";
}

}  // namespace weft::actors
