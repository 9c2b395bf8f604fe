#include "actors/program/bench_plot.hpp"

#include <algorithm>

#include "actors/program/table.hpp"
#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

plot_series series_of(const reuse_line& line) {
  const auto mode = std::find(all_modes.begin(), all_modes.end(), line.of.mode);
  plot_series series{.name = line.of.name(),
                     .points = {},
                     .colour = static_cast<std::size_t>(mode - all_modes.begin()),
                     .dashed = line.of.moved,
                     .emphasised = line.of.mode == reuse_mode::stitched};
  for (const reuse_point& point : line.points) {
    const spread& times = point.milliseconds;
    series.points.push_back({.x = 100 * point.known_share,
                             .y = times.median,
                             .y_least = times.least,
                             .y_most = times.most,
                             .note = fixed(times.median, 2) + " ms (" + fixed(times.least, 2) +
                                     " to " + fixed(times.most, 2) + "), " +
                                     std::to_string(point.known_segments) + " segments known, " +
                                     std::to_string(point.reused_tokens) + " tokens reused"});
  }
  return series;
}

// Follows the medians. One run that something else held up must not squeeze all the rest, so bars
// count only as far as `bar_reach` times beyond them.
plot_axis times_axis(const std::vector<reuse_line>& lines) {
  constexpr double bar_reach = 2;
  double least = lines.front().points.front().milliseconds.median;
  double most = least;
  for (const reuse_line& line : lines)
    for (const reuse_point& point : line.points) {
      least = std::min(least, point.milliseconds.median);
      most = std::max(most, point.milliseconds.median);
    }
  double low = least;
  double high = most;
  for (const reuse_line& line : lines)
    for (const reuse_point& point : line.points) {
      low = std::min(low, std::max(point.milliseconds.least, least / bar_reach));
      high = std::max(high, std::min(point.milliseconds.most, most * bar_reach));
    }
  return axis_over(low, high);
}

}  // namespace

svg_plot plot_of(const bench_results& all, const bench_plan& plan, const bench_setting& where) {
  WEFT_ASSERT(!all.reuse.empty());
  const bench_prompt& prompt = plan.prompt();
  svg_plot plot{
      .title = "Time to first token by tokens seen before",
      .subtitles = {where.model + ", " + where.device,
                    std::to_string(prompt.segments) + " segments of " +
                        std::to_string(prompt.segment_tokens) + " tokens, a question of " +
                        std::to_string(prompt.question_tokens) + "; median of " +
                        std::to_string(plan.runs) + (plan.runs == 1 ? " run" : " runs") +
                        ", bars from least to most; lines side by side"},
      .x_title = "share of the prompt's tokens in segments seen before",
      .y_title = "time to first token, ms",
      .footnote = {},
      .x = {.from = 0, .to = 100, .ticks = {0, 25, 50, 75, 100}, .unit = " %"},
      .y = times_axis(all.reuse),
      .series = {}};
  if (plot.y.logarithmic) plot.y_title += " (logarithmic)";
  bool moved = false;
  for (const reuse_line& line : all.reuse) {
    plot.series.push_back(series_of(line));
    moved = moved || line.of.moved;
  }
  plot.footnote = "Segments seen before stand first in the prompt.";
  if (moved) plot.footnote += " moved: they stand last, in another order.";
  return plot;
}

}  // namespace weft::actors
