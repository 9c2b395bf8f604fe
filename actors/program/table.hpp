// A table of plain text for people: columns as wide as their widest cell.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weft::actors {

enum class side : std::uint8_t { left, right };

class table {
 public:
  struct column {
    std::string heading;
    side align = side::right;
  };
  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}

  // Requires: as many cells as columns.
  void add(std::vector<std::string> cells);

  // All lines, each behind `indent`; no spaces at their ends.
  std::string text(const std::string& indent = "") const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

// `value` with `decimals` places.
std::string fixed(double value, int decimals);

}  // namespace weft::actors
