// Exact match and F1 of answers, by the rules of deploy/docs/formats.md.
//
// Both sides are stripped of white space. Exact match is equality of the texts; F1 is the harmonic
// mean of precision and recall over words as multisets, with `;` read as a space.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace weft::actors {

// 1 or 0.
double exact_match(std::string_view given, std::string_view wanted);

// In [0, 1]. Two texts without words are equal: 1. One of them without words: 0.
double word_f1(std::string_view given, std::string_view wanted);

// Sums of one mode's answers, overall and by task.
struct marks {
  double exact = 0;
  double f1 = 0;
  std::int64_t answers = 0;

  void add(std::string_view given, std::string_view wanted);
  // Percent, 0 without answers.
  double exact_percent() const;
  double f1_percent() const;
};

struct mode_marks {
  marks all;
  std::map<std::string, marks> tasks;  // Answers without a task count in `all` only.
};

}  // namespace weft::actors
