#include "actors/program/spread.hpp"

#include <algorithm>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {

spread spread_of(std::vector<double> values) {
  WEFT_ASSERT(!values.empty());
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median =
      values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {.median = median, .least = values.front(), .most = values.back()};
}

spread spread_of_additions(const std::vector<double>& with, const std::vector<double>& without) {
  WEFT_ASSERT(with.size() == without.size());
  std::vector<double> additions;
  for (std::size_t i = 0; i < with.size(); ++i) {
    WEFT_ASSERT(without[i] > 0);
    additions.push_back((with[i] - without[i]) / without[i]);
  }
  return spread_of(std::move(additions));
}

}  // namespace weft::actors
