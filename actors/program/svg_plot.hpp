// A line plot as an SVG document, written by hand: axes, grid, legend, lines with markers and bars.
//
// It follows the viewer's preference for light or dark and paints its own background, so that it
// can be read wherever it is embedded. Hovering over a marker shows its note.
#pragma once

#include <string>
#include <vector>

#include "actors/program/plot_axis.hpp"

namespace weft::actors {

struct plot_point {
  double x = 0;
  double y = 0;
  double y_least = 0;  // The bar's ends; cut at the frame, and then without a cap.
  double y_most = 0;
  std::string note;
};

struct plot_series {
  std::string name;
  std::vector<plot_point> points;
  std::size_t colour = 0;   // Index of colour and marker; repeats after `plot_colours`.
  bool dashed = false;      // With hollow markers: a variant of another line of its colour.
  bool emphasised = false;  // Thicker, and above the others.
};

inline constexpr std::size_t plot_colours = 7;

struct svg_plot {
  std::string title;
  std::vector<std::string> subtitles;  // At most two.
  std::string x_title;
  std::string y_title;
  std::string footnote;
  plot_axis x;
  plot_axis y;
  std::vector<plot_series> series;  // In the legend's order.
};

// The whole document. Text that is too long for its place is cut.
std::string svg_of(const svg_plot& plot);

}  // namespace weft::actors
