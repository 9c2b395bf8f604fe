#include "actors/program/plot_axis.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

constexpr double round_steps[] = {1, 2, 5};
constexpr double logarithmic_from_ratio = 10;
// More labels than this are read one by one instead of at a glance.
constexpr double linear_ticks_wanted = 5;
constexpr std::size_t logarithmic_ticks_most = 9;
// Values as small as this are noise of the clock.
constexpr double value_least = 1e-6;

// 1, 2 and 5 times powers of ten, from the last one at or below `least` to the first at or above
// `most`.
std::vector<double> round_numbers(double least, double most) {
  std::vector<double> numbers;
  const int first = static_cast<int>(std::floor(std::log10(least)));
  for (int power = first;; ++power)
    for (const double step : round_steps) {
      const double number = step * std::pow(10.0, power);
      if (number <= least) numbers.clear();
      numbers.push_back(number);
      if (number >= most) return numbers;
    }
}

plot_axis logarithmic_axis(double least, double most) {
  std::vector<double> ticks = round_numbers(least, most);
  plot_axis axis{
      .logarithmic = true, .from = ticks.front(), .to = ticks.back(), .ticks = {}, .unit = {}};
  if (ticks.size() > logarithmic_ticks_most)
    std::erase_if(ticks, [](double tick) {
      const double power = std::log10(tick);
      return std::abs(power - std::round(power)) > 1e-9;
    });
  axis.ticks = std::move(ticks);
  return axis;
}

plot_axis linear_axis(double most) {
  const double step = round_numbers(most / linear_ticks_wanted, most / linear_ticks_wanted).back();
  plot_axis axis;
  axis.ticks.push_back(0);
  while (axis.ticks.back() < most)
    axis.ticks.push_back(step * static_cast<double>(axis.ticks.size()));
  axis.to = axis.ticks.back();
  return axis;
}

}  // namespace

double plot_axis::place(double value) const {
  const double inside = std::clamp(value, from, to);
  if (logarithmic) return std::log(inside / from) / std::log(to / from);
  return (inside - from) / (to - from);
}

std::string plot_axis::label(double tick) const {
  char text[32];
  std::snprintf(text, sizeof text, "%.12g", tick);
  return text + unit;
}

plot_axis axis_over(double least, double most) {
  WEFT_ASSERT(0 <= least && least <= most);
  least = std::max(least, value_least);
  most = std::max(most, least);
  return most / least >= logarithmic_from_ratio ? logarithmic_axis(least, most) : linear_axis(most);
}

}  // namespace weft::actors
