#include "actors/program/evaluation.hpp"

#include <algorithm>

namespace weft::actors {
namespace {

constexpr std::string_view white_space = " \t\n\r\f\v";

std::string_view stripped(std::string_view text) {
  const std::size_t first = text.find_first_not_of(white_space);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(white_space) - first + 1);
}

// Words with how often each occurs.
std::map<std::string_view, std::int64_t> words_of(std::string_view text) {
  static constexpr std::string_view between = " \t\n\r\f\v;";
  std::map<std::string_view, std::int64_t> words;
  for (std::size_t at = text.find_first_not_of(between); at != std::string_view::npos;) {
    const std::size_t end = std::min(text.find_first_of(between, at), text.size());
    ++words[text.substr(at, end - at)];
    at = text.find_first_not_of(between, end);
  }
  return words;
}

std::int64_t count_of(const std::map<std::string_view, std::int64_t>& words) {
  std::int64_t count = 0;
  for (const auto& [word, times] : words) count += times;
  return count;
}

}  // namespace

double exact_match(std::string_view given, std::string_view wanted) {
  return stripped(given) == stripped(wanted) ? 1 : 0;
}

double word_f1(std::string_view given, std::string_view wanted) {
  const auto given_words = words_of(given);
  const auto wanted_words = words_of(wanted);
  const std::int64_t given_count = count_of(given_words);
  const std::int64_t wanted_count = count_of(wanted_words);
  if (given_count == 0 || wanted_count == 0) return given_count == wanted_count ? 1 : 0;
  std::int64_t shared = 0;
  for (const auto& [word, times] : given_words) {
    const auto found = wanted_words.find(word);
    if (found != wanted_words.end()) shared += std::min(times, found->second);
  }
  return 2.0 * static_cast<double>(shared) / static_cast<double>(given_count + wanted_count);
}

void marks::add(std::string_view given, std::string_view wanted) {
  exact += exact_match(given, wanted);
  f1 += word_f1(given, wanted);
  ++answers;
}

double marks::exact_percent() const {
  return answers == 0 ? 0 : 100 * exact / static_cast<double>(answers);
}

double marks::f1_percent() const {
  return answers == 0 ? 0 : 100 * f1 / static_cast<double>(answers);
}

}  // namespace weft::actors
