#include "policies/assignment/longest_first.hpp"

#include <numeric>
#include <utility>

#include "policies/vocabulary/assert.hpp"

namespace weft {

job_assignment assign_longest_first(const std::vector<double>& cost_ms,
                                    std::vector<double> load_ms) {
  WEFT_ASSERT(!load_ms.empty());
  std::vector<std::size_t> order(cost_ms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return cost_ms[left] > cost_ms[right];
  });
  job_assignment made{.worker_of = std::vector<std::size_t>(cost_ms.size()),
                      .load_ms = std::move(load_ms)};
  for (const std::size_t job : order) {
    WEFT_ASSERT(cost_ms[job] >= 0);
    // The first of the least loaded. A scan: workers are few.
    const auto least = std::min_element(made.load_ms.begin(), made.load_ms.end());
    *least += cost_ms[job];
    made.worker_of[job] = static_cast<std::size_t>(least - made.load_ms.begin());
  }
  return made;
}

}  // namespace weft
