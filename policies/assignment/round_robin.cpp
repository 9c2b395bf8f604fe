#include "policies/assignment/round_robin.hpp"

#include <utility>

#include "policies/vocabulary/assert.hpp"

namespace weft {

job_assignment assign_round_robin(const std::vector<double>& cost_ms, std::vector<double> load_ms,
                                  std::size_t first) {
  WEFT_ASSERT(first < load_ms.size());
  job_assignment made{.worker_of = {}, .load_ms = std::move(load_ms)};
  std::size_t next = first;
  for (const double cost : cost_ms) {
    made.worker_of.push_back(next);
    made.load_ms[next] += cost;
    next = (next + 1) % made.load_ms.size();
  }
  return made;
}

}  // namespace weft
