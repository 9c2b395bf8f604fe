// A word's options: declared once in a small table, then parsed, checked and explained from it.
//
// `--name value` and `--name=value` are the same; `--` ends the options; all that is no option is
// an operand. Every value is checked while parsing, so a word never meets a value out of range.
// Threads: any; values only.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "policies/vocabulary/result.hpp"

namespace weft::actors {

enum class option_kind : std::uint8_t {
  flag,     // no value
  text,     // any text
  integer,  // a whole number in [least, most]
  real,     // a decimal number in [least, most]
  bytes,    // a whole number with an optional K, M, G or T (powers of 1024), in [least, most]
  choice,   // one of `choices`
};

// What a word does with the file that an option names.
enum class file_use : std::uint8_t { none, read, written };

struct option_rule {
  std::string_view name;  // With its dashes: "--threads".
  option_kind kind = option_kind::text;
  std::string_view value_name = {};  // As help shows it: "N".
  std::string_view fallback =
      {};  // The value when not given, as a user would type it; empty: none.
  std::string_view sentence = {};
  double least = 0;
  double most = 9e15;
  std::vector<std::string_view> choices = {};
  bool repeatable = false;
  bool required = false;
  status (*check)(std::string_view value) = nullptr;  // A rule of its own, after the kind's.
  file_use use = file_use::none;  // `read` is also said of a folder whose files are read.
};

// The values of one call. Asking for an option that the word's table lacks is a bug and asserts.
class options {
 public:
  // Was it on the command line? A fallback does not count.
  bool given(std::string_view name) const;
  bool flag(std::string_view name) const { return given(name); }

  // The last value given, else the fallback. `text` is empty, the numbers are 0 where neither is.
  std::string text(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;  // Kinds integer and bytes.
  double real(std::string_view name) const;

  // All values of a repeatable option, in order; empty when not given.
  std::vector<std::string> all(std::string_view name) const;

  // The same as numbers, of kind integer; the fallback alone where none is given.
  std::vector<std::int64_t> integers(std::string_view name) const;

  const std::vector<std::string>& operands() const { return operands_; }
  bool wants_help() const { return wants_help_; }

 private:
  friend result<options> parse_options(std::span<const option_rule> rules, std::size_t operands_max,
                                       std::span<const std::string> arguments);
  std::map<std::string, std::vector<std::string>, std::less<>> given_;
  std::map<std::string, std::string, std::less<>> fallbacks_;  // One per rule; may be empty.
  std::vector<std::string> operands_;
  bool wants_help_ = false;
};

// Parses what follows a word. `rejected` names the option, what is wrong with it, and for an
// unknown one the nearest known name. `--help` and `-h` stop the parsing: nothing else is checked
// then.
result<options> parse_options(std::span<const option_rule> rules, std::size_t operands_max,
                              std::span<const std::string> arguments);

// Bytes from "4096", "64K", "2G": `rejected` when it is none of these or does not fit 63 bits.
result<std::int64_t> parse_bytes(std::string_view text);

// One line per option: name, value, sentence, default; aligned, ends with a newline.
std::string explain_options(std::span<const option_rule> rules);

// The name nearest to `name` by edits, or empty when none is near enough to be a slip of the hand.
std::string_view nearest_name(std::string_view name, std::span<const std::string_view> known);

}  // namespace weft::actors
