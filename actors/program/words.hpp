// The program's words: `weft WORD ...`. One file per word; this is the table and the way in.
//
// Exit codes: 0 done, 1 failed, 2 wrong use. A failure is printed here, once, as
// "weft WORD: sentence." on standard error.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "actors/program/console.hpp"
#include "actors/program/options.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::actors {

inline constexpr int exit_done = 0;
inline constexpr int exit_failed = 1;
inline constexpr int exit_wrong_use = 2;

struct word {
  std::string_view name;
  std::string_view operands = {};  // As help shows them: "[FILE]".
  std::size_t operands_max = 0;
  std::string_view sentence = {};
  std::string_view more = {};  // Further lines of its help; may be empty.
  std::vector<option_rule> rules = {};
  // The exit code, or a failure (exit code 1).
  result<int> (*act)(const options& given, console& at) = nullptr;
};

word run_word();
word eval_word();
word score_word();
word bench_word();
word inspect_word();
word tokenize_word();

// All words, in the order in which help lists them.
std::vector<word> all_words();

// Runs the program: `arguments` without the program's own name. Returns the exit code.
int run_program(std::span<const std::string> arguments, console& at);

}  // namespace weft::actors
