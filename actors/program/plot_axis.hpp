// One axis of a plot: which values it spans, where each stands, and which ticks are written.
#pragma once

#include <string>
#include <vector>

namespace weft::actors {

struct plot_axis {
  bool logarithmic = false;
  double from = 0;
  double to = 1;
  std::vector<double> ticks;  // Rising, within [from, to].
  std::string unit;           // Written behind each tick: " %".

  // 0 at `from`, 1 at `to`. Values outside are moved to the nearer end.
  double place(double value) const;

  // A tick as text, with its unit.
  std::string label(double tick) const;
};

// An axis for values from `least` to `most`, at ticks of 1, 2 and 5 times a power of ten.
// Logarithmic from one power of ten up: on a linear axis all below a tenth of the largest value
// would lie in one line with the axis. A linear one starts at 0, so that lengths are proportions.
// Requires: 0 <= least <= most.
plot_axis axis_over(double least, double most);

}  // namespace weft::actors
