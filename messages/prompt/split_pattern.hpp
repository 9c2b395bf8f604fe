// The regular expression by which a tokenizer cuts text into words, run by PCRE2 (compiled to
// machine code where the processor allows).
//
// tokenizer.json is written for Oniguruma. Where the two engines differ, the pattern is translated
// (white space: PCRE2 counts U+180E, Oniguruma does not; line anchors) or refused by name (escapes
// and class operations that mean something else), never run with another meaning.
//
// Threads: const members from any thread; each thread keeps its own match memory (up to 1 MiB of
// stack for compiled patterns).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "policies/vocabulary/result.hpp"

namespace weft::messages {

// The pattern that a ByteLevel pre-tokenizer with `use_regex` stands for.
inline constexpr std::string_view gpt2_split_regex =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

class split_pattern {
 public:
  // Compiles `regex`, or `rejected` with what is wrong and where in the pattern.
  static result<split_pattern> make(std::string_view regex);

  // Appends to `pieces` the matches in `text` and the gaps between them, in order ("isolated");
  // none is empty, and together they are `text`, into which they point. `rejected` if matching
  // takes more steps than the bound for a text of this length. Requires: valid UTF-8.
  status cut(std::string_view text, std::vector<std::string_view>& pieces) const;

 private:
  struct compiled;
  explicit split_pattern(std::shared_ptr<const compiled> code) : code_(std::move(code)) {}

  std::shared_ptr<const compiled> code_;  // Shared, so that copies of a tokenizer cost nothing.
};

}  // namespace weft::messages
