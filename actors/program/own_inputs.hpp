// Does a word's output lie where it reads? Asked before any work: results take the place of what
// was there.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "actors/program/options.hpp"

namespace weft::actors {

// What is wrong, naming both places, where a file that an output option of `rules` names is one
// that the word reads (an operand, an input option's file, a file of a model's folder), or is
// another output's. Links are followed; pipes and devices are nobody's.
std::optional<std::string> overwritten_input(std::span<const option_rule> rules,
                                             const options& given);

}  // namespace weft::actors
