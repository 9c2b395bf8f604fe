// Several measurements of one thing: the middle, and how far they lie apart.
#pragma once

#include <vector>

namespace weft::actors {

struct spread {
  double median = 0;
  double least = 0;
  double most = 0;

  friend bool operator==(const spread&, const spread&) = default;
};

// Requires: values are not empty. The median of an even number is the mean of the middle two.
spread spread_of(std::vector<double> values);

// What `with` adds to `without`, pair by pair: the spread of (with - without) / without. Pairs that
// were measured one after the other share whatever else the machine did, so their ratios lie closer
// together than their times. Below 0 where noise exceeds the difference.
// Requires: equally many of both, at least one; `without` above 0.
spread spread_of_additions(const std::vector<double>& with, const std::vector<double>& without);

}  // namespace weft::actors
