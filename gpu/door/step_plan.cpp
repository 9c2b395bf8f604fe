#include "gpu/door/step_plan.hpp"

namespace weft::gpu {
namespace {

std::int64_t rows_of(const std::vector<sequence_step>& steps) {
  std::int64_t rows = 0;
  for (const sequence_step& step : steps)
    for (const sequence_work& work : step.work)
      if (const auto* run = std::get_if<run_tokens>(&work))
        rows += static_cast<std::int64_t>(run->tokens.size());
  return rows;
}

}  // namespace

std::int64_t step_plan::rows() const { return rows_of(isolated) + rows_of(context); }

}  // namespace weft::gpu
