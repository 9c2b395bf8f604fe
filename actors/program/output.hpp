// Where a word's words go: text for people, and JSON for machines.
//
// `--json FILE` sends the JSON to a file; `--json -` sends it to standard output, and then all text
// for people goes to standard error. Without it there is no JSON, unless JSON is all the word
// writes. Threads: the word's thread only. Lifetime: the console must outlive it.
#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <string_view>

#include "actors/program/console.hpp"
#include "actors/program/result_file.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::actors {

class output {
 public:
  // `json_path`: the option's value; empty for no JSON. A path that cannot be written fails now,
  // before the work: `unavailable`. A file keeps what it holds until all JSON is written.
  static result<output> make(console& at, const std::string& json_path);

  // For people.
  std::ostream& text() { return *text_; }
  bool text_is_terminal() const { return text_is_terminal_; }

  // `words` in bold where a person's terminal shows colours, else as they are.
  std::string bold(std::string_view words) const { return painted("1", words); }
  std::string green(std::string_view words) const { return painted("32", words); }
  std::string dim(std::string_view words) const { return painted("2", words); }

  bool wants_json() const { return json_ != nullptr || file_; }

  // Writes the word's one JSON document and a line's end: all that there will be. `unavailable`
  // when the file or pipe takes no more. Without a place for JSON: nothing happens.
  status write_json(std::string_view document);

  // One of several, at once. After the last comes `finish_json`.
  status write_json_line(std::string_view line);
  status finish_json();

  // The file that --json names; empty for none and for standard output.
  std::string json_path() const { return file_ ? file_->path() : std::string(); }

 private:
  output() = default;
  std::string painted(const char* code, std::string_view words) const;

  std::ostream* text_ = nullptr;
  std::ostream* json_ = nullptr;  // Standard output, where JSON goes there.
  std::optional<result_file> file_;
  bool text_is_terminal_ = false;
  bool colours_ = false;
};

}  // namespace weft::actors
