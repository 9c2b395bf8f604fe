#include "actors/program/svg_plot.hpp"

#include <cmath>
#include <numbers>

#include "actors/program/table.hpp"

namespace weft::actors {
namespace {

// All lengths are in the picture's own units, which are pixels at its natural size.
constexpr double width = 960;
constexpr double height = 560;
constexpr double left = 84;
constexpr double right = 698;
constexpr double top = 104;
constexpr double bottom = 462;
constexpr double legend_left = 718;
constexpr double legend_row = 27;
constexpr double marker_radius = 5;
constexpr double bar_half_cap = 4;
// Lines of equal height would hide each other: each stands a little beside the one before.
constexpr double dodge = 4;
// So that markers at either end stand clear of the frame.
constexpr double x_margin = 22;
// As many letters as the picture's width holds.
constexpr std::size_t letters_max = 130;

// Even in lightness, so that they stand out on white and on near black, and apart for the
// colour-blind; markers differ too.
constexpr const char* colours[plot_colours] = {"#7d8590", "#d9822b", "#cf4a58", "#8f63d2",
                                               "#1899a8", "#4c9a2a", "#2f74d0"};

struct marker {
  int corners = 0;  // 0: a circle.
  double turn_degrees = 0;
  double size = 1;
};
constexpr marker markers[plot_colours] = {{4, 45, 1.15}, {4, 0, 1.25}, {3, 90, 1.3}, {3, -90, 1.3},
                                          {5, -90, 1.1}, {3, 0, 1.3},  {0, 0, 1}};

constexpr const char* style =
    "<style>text{font-family:system-ui,-apple-system,'Segoe UI',Helvetica,Arial,sans-serif}"
    "@media (prefers-color-scheme:dark){.page{fill:#14181d}.ink{fill:#e6e9ec}.soft{fill:#9aa4ae}"
    ".grid{stroke:#2b323a}.axis{stroke:#77818c}.hollow{fill:#14181d}}</style>\n";

std::string number(double value) { return fixed(value, 1); }

// Text as XML holds it, of characters that every viewer shows.
std::string escaped(const std::string& text) {
  std::string safe;
  for (const char letter : text.substr(0, letters_max)) {
    if (letter == '&')
      safe += "&amp;";
    else if (letter == '<')
      safe += "&lt;";
    else if (letter == '>')
      safe += "&gt;";
    else if (letter == '"')
      safe += "&quot;";
    else
      safe += letter >= ' ' && letter <= '~' ? letter : '?';
  }
  return safe;
}

struct text_look {
  double size = 13;
  const char* anchor = "start";
  const char* ink = "ink";
  bool bold = false;
  bool upright = false;  // Reads from below.
};

std::string text_at(double x, double y, const std::string& words, const text_look& look) {
  std::string line = "<text class=\"" + std::string(look.ink) + "\" fill=\"" +
                     (std::string(look.ink) == "ink" ? "#1c2127" : "#5c6670") + "\" x=\"" +
                     number(x) + "\" y=\"" + number(y) + "\" font-size=\"" + number(look.size) +
                     "\" text-anchor=\"" + look.anchor + "\"";
  if (look.bold) line += " font-weight=\"600\"";
  if (look.upright) line += " transform=\"rotate(-90 " + number(x) + " " + number(y) + ")\"";
  return line + ">" + escaped(words) + "</text>\n";
}

std::string line_between(double x1, double y1, double x2, double y2, const std::string& look) {
  return "<line x1=\"" + number(x1) + "\" y1=\"" + number(y1) + "\" x2=\"" + number(x2) +
         "\" y2=\"" + number(y2) + "\" " + look + "/>\n";
}

std::string colour_of(const plot_series& series) { return colours[series.colour % plot_colours]; }

// `note` becomes what a viewer shows under the pointer.
std::string marker_at(double x, double y, const plot_series& series, const std::string& note) {
  const marker& shape = markers[series.colour % plot_colours];
  const double radius = marker_radius * shape.size;
  const std::string colour = colour_of(series);
  const std::string look = (series.dashed ? std::string("class=\"hollow\" fill=\"#ffffff\"")
                                          : "fill=\"" + colour + "\"") +
                           " stroke=\"" + colour +
                           "\" stroke-width=\"1.5\" stroke-linejoin=\"round\"";
  const std::string title = note.empty() ? "" : "<title>" + escaped(note) + "</title>";
  if (shape.corners == 0)
    return "<circle cx=\"" + number(x) + "\" cy=\"" + number(y) + "\" r=\"" + number(radius) +
           "\" " + look + ">" + title + "</circle>\n";
  std::string path;
  for (int corner = 0; corner < shape.corners; ++corner) {
    const double angle =
        (shape.turn_degrees + 360.0 * corner / shape.corners) * std::numbers::pi / 180;
    path += (corner == 0 ? "M" : "L") + number(x + radius * std::cos(angle)) + " " +
            number(y + radius * std::sin(angle));
  }
  return "<path d=\"" + path + "Z\" " + look + ">" + title + "</path>\n";
}

std::string stroke_of(const plot_series& series) {
  return "fill=\"none\" stroke=\"" + colour_of(series) + "\" stroke-width=\"" +
         (series.emphasised ? "3" : "1.8") + "\" stroke-linejoin=\"round\"" +
         (series.dashed ? " stroke-dasharray=\"6 4\"" : "");
}

double x_at(const svg_plot& plot, double x) {
  return left + x_margin + plot.x.place(x) * (right - left - 2 * x_margin);
}

double y_at(const svg_plot& plot, double y) { return bottom - plot.y.place(y) * (bottom - top); }

std::string axes_of(const svg_plot& plot) {
  const std::string grid = "class=\"grid\" stroke=\"#e3e7eb\"";
  const std::string axis = "class=\"axis\" stroke=\"#8a949e\"";
  std::string all;
  for (const double tick : plot.y.ticks) {
    const double y = y_at(plot, tick);
    all += line_between(left, y, right, y, grid);
    all += text_at(left - 10, y + 4, plot.y.label(tick), {.size = 12, .anchor = "end"});
  }
  for (const double tick : plot.x.ticks) {
    const double x = x_at(plot, tick);
    all += line_between(x, top, x, bottom, grid);
    all += line_between(x, bottom, x, bottom + 5, axis);
    all += text_at(x, bottom + 21, plot.x.label(tick), {.size = 12, .anchor = "middle"});
  }
  all += line_between(left, bottom, right, bottom, axis);
  all += line_between(left, top, left, bottom, axis);
  all += text_at((left + right) / 2, bottom + 45, plot.x_title, {.anchor = "middle"});
  all += text_at(24, (top + bottom) / 2, plot.y_title, {.anchor = "middle", .upright = true});
  return all;
}

std::string cap_at(double x, double y) {
  return "M" + number(x - bar_half_cap) + " " + number(y) + "H" + number(x + bar_half_cap);
}

std::string series_of(const svg_plot& plot, const plot_series& series, double beside) {
  std::string line;
  std::string bars;
  std::string points;
  for (const plot_point& point : series.points) {
    const double x = x_at(plot, point.x) + beside;
    const double y = y_at(plot, point.y);
    const double low = y_at(plot, point.y_least);
    const double high = y_at(plot, point.y_most);
    line += (line.empty() ? "" : " ") + number(x) + "," + number(y);
    bars += "M" + number(x) + " " + number(low) + "V" + number(high);
    // No cap where a bar goes on beyond the frame.
    if (point.y_least >= plot.y.from) bars += cap_at(x, low);
    if (point.y_most <= plot.y.to) bars += cap_at(x, high);
    points += marker_at(x, y, series, series.name + ": " + point.note);
  }
  return "<g>\n<path d=\"" + bars + "\" fill=\"none\" stroke=\"" + colour_of(series) +
         "\" stroke-width=\"1.2\"/>\n<polyline points=\"" + line + "\" " + stroke_of(series) +
         "/>\n" + points + "</g>\n";
}

std::string lines_of(const svg_plot& plot) {
  const double middle = (static_cast<double>(plot.series.size()) - 1) / 2;
  std::string all;
  for (const bool emphasised : {false, true})
    for (std::size_t i = 0; i < plot.series.size(); ++i)
      if (plot.series[i].emphasised == emphasised)
        all += series_of(plot, plot.series[i], (static_cast<double>(i) - middle) * dodge);
  return all;
}

std::string legend_of(const svg_plot& plot) {
  std::string all;
  double y = top + 8;
  for (const plot_series& series : plot.series) {
    all += "<path d=\"M" + number(legend_left) + " " + number(y) + "H" + number(legend_left + 34) +
           "\" " + stroke_of(series) + "/>\n";
    all += marker_at(legend_left + 17, y, series, "");
    all += text_at(legend_left + 43, y + 4.5, series.name, {.bold = series.emphasised});
    y += legend_row;
  }
  return all;
}

}  // namespace

std::string svg_of(const svg_plot& plot) {
  const std::string box = "width=\"" + number(width) + "\" height=\"" + number(height) + "\"";
  std::string page = "<svg xmlns=\"http://www.w3.org/2000/svg\" " + box + " viewBox=\"0 0 " +
                     number(width) + " " + number(height) + "\" role=\"img\">\n<title>" +
                     escaped(plot.title) + "</title>\n" + style;
  page += "<rect class=\"page\" fill=\"#ffffff\" " + box + "/>\n";
  page += text_at(24, 36, plot.title, {.size = 19, .bold = true});
  double y = 60;
  for (const std::string& subtitle : plot.subtitles) {
    page += text_at(24, y, subtitle, {.ink = "soft"});
    y += 19;
  }
  page += axes_of(plot) + lines_of(plot) + legend_of(plot);
  page += text_at(24, height - 18, plot.footnote, {.size = 12, .ink = "soft"});
  return page + "</svg>\n";
}

}  // namespace weft::actors
