#include "actors/program/table.hpp"

#include <algorithm>
#include <cstdio>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {

void table::add(std::vector<std::string> cells) {
  WEFT_ASSERT(cells.size() == columns_.size());
  rows_.push_back(std::move(cells));
}

std::string table::text(const std::string& indent) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].heading.size();
    for (const auto& row : rows_) width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string page;
  const auto add_line = [&](const auto& cell_of) {
    std::string line = indent;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = cell_of(c);
      const std::string gap(widths[c] - cell.size(), ' ');
      line += c == 0 ? "" : "  ";
      line += columns_[c].align == side::left ? cell + gap : gap + cell;
    }
    page += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  add_line([&](std::size_t c) { return columns_[c].heading; });
  for (const auto& row : rows_) add_line([&](std::size_t c) { return row[c]; });
  return page;
}

std::string fixed(double value, int decimals) {
  char text[64];
  std::snprintf(text, sizeof text, "%.*f", decimals, value);
  return text;
}

}  // namespace weft::actors
