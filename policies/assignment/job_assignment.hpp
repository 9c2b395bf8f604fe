// Which worker gets which job, as a choice of workers tells it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace weft {

struct job_assignment {
  std::vector<std::size_t> worker_of;  // Per job.
  std::vector<double> load_ms;         // Per worker: what it had and what it got.

  // When the last worker is done.
  double makespan_ms() const { return *std::max_element(load_ms.begin(), load_ms.end()); }
};

}  // namespace weft
