#include "actors/program/words.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <ostream>

#include "actors/program/own_inputs.hpp"

namespace weft::actors {
namespace {

constexpr std::string_view version_text = WEFT_VERSION;

std::string list_of_words(const std::vector<word>& words) {
  std::size_t width = 0;
  for (const word& each : words) width = std::max(width, each.name.size());
  std::string page;
  for (const word& each : words) {
    std::string line = "  " + std::string(each.name);
    line.resize(width + 4, ' ');
    page += line + std::string(each.sentence) + "\n";
  }
  return page;
}

std::string help_of_program(const std::vector<word>& words) {
  return "weft: answers prompts made of segments, and reuses what it knows of each segment.\n\n"
         "usage: weft WORD [OPTIONS]\n\nwords:\n" +
         list_of_words(words) +
         "\n`weft WORD --help` explains a word and its options. Exit codes: 0 done, 1 failed, "
         "2 wrong use.\n";
}

std::string help_of_word(const word& which) {
  std::string page = "usage: weft " + std::string(which.name);
  for (const option_rule& rule : which.rules)
    if (rule.required) page += " " + std::string(rule.name) + " " + std::string(rule.value_name);
  page += " [OPTIONS]";
  if (!which.operands.empty()) page += " " + std::string(which.operands);
  page += "\n\n" + std::string(which.sentence) + "\n";
  if (!which.more.empty()) page += "\n" + std::string(which.more) + "\n";
  page += "\noptions:\n" + explain_options(which.rules);
  return page;
}

// A question needs no full stop.
std::string ended(std::string_view sentence) {
  return std::string(sentence) + (sentence.ends_with('?') ? "" : ".");
}

int wrong_use(console& at, std::string_view word_name, std::string_view message) {
  at.err << "weft " << word_name << ": " << ended(message) << "\n`weft " << word_name
         << " --help` explains its use.\n";
  return exit_wrong_use;
}

int unknown_word(const std::vector<word>& words, const std::string& name, console& at) {
  std::vector<std::string_view> known;
  for (const word& each : words) known.push_back(each.name);
  const std::string_view near = nearest_name(name, known);
  at.err << "weft: unknown word '" << name << "'";
  if (!near.empty()) at.err << "; did you mean '" << near << "'?";
  at.err << "\nThe words are:\n" << list_of_words(words);
  return exit_wrong_use;
}

int run_word_with(const word& which, std::span<const std::string> arguments, console& at) {
  const auto given = parse_options(which.rules, which.operands_max, arguments);
  if (!given) return wrong_use(at, which.name, given.error().message);
  if (given->wants_help()) {
    at.out << help_of_word(which);
    return exit_done;
  }
  if (const auto wrong = overwritten_input(which.rules, *given))
    return wrong_use(at, which.name, *wrong);
  const result<int> code = which.act(*given, at);
  if (code) return *code;
  at.out << std::flush;
  at.err << "weft " << which.name << ": " << ended(code.error().message) << "\n";
  return exit_failed;
}

}  // namespace

std::vector<word> all_words() {
  return {run_word(), eval_word(), score_word(), bench_word(), inspect_word(), tokenize_word()};
}

namespace {

int run_words(std::span<const std::string> arguments, console& at) {
  const std::vector<word> words = all_words();
  if (arguments.empty()) {
    at.err << help_of_program(words);
    return exit_wrong_use;
  }
  const std::string& first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    at.out << help_of_program(words);
    return exit_done;
  }
  if (first == "--version") {
    at.out << "weft " << version_text << "\n";
    return exit_done;
  }
  for (const word& each : words)
    if (each.name == first) return run_word_with(each, arguments.subspan(1), at);
  return unknown_word(words, first, at);
}

}  // namespace

int run_program(std::span<const std::string> arguments, console& at) {
  try {
    return run_words(arguments, at);
  } catch (const std::bad_alloc&) {
    at.err << "weft: out of memory; give it less input, or a smaller --cache-bytes\n";
  } catch (const std::exception& error) {
    at.err << "weft: stopped by a fault of its own: " << error.what() << "\n";
  }
  return exit_failed;
}

}  // namespace weft::actors
