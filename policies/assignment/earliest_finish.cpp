#include "policies/assignment/earliest_finish.hpp"

#include <numeric>
#include <utility>

#include "policies/vocabulary/assert.hpp"

namespace weft {
namespace {

std::size_t soonest_done(const std::vector<double>& cost_ms, const std::vector<double>& load_ms) {
  std::size_t best = 0;
  for (std::size_t worker = 1; worker < load_ms.size(); ++worker)
    if (load_ms[worker] + cost_ms[worker] < load_ms[best] + cost_ms[best]) best = worker;
  return best;
}

}  // namespace

job_assignment assign_earliest_finish(const std::vector<std::vector<double>>& cost_ms,
                                      std::vector<double> load_ms) {
  WEFT_ASSERT(!load_ms.empty());
  std::vector<double> length(cost_ms.size());
  for (std::size_t job = 0; job < cost_ms.size(); ++job) {
    WEFT_ASSERT(cost_ms[job].size() == load_ms.size());
    length[job] = *std::min_element(cost_ms[job].begin(), cost_ms[job].end());
    WEFT_ASSERT(length[job] >= 0);
  }
  std::vector<std::size_t> order(cost_ms.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t left, std::size_t right) {
    return length[left] > length[right];
  });
  job_assignment made{.worker_of = std::vector<std::size_t>(cost_ms.size()),
                      .load_ms = std::move(load_ms)};
  for (const std::size_t job : order) {
    const std::size_t worker = soonest_done(cost_ms[job], made.load_ms);
    made.load_ms[worker] += cost_ms[job][worker];
    made.worker_of[job] = worker;
  }
  return made;
}

}  // namespace weft
