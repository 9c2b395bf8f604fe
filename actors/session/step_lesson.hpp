// What a step's time teaches about the cost of prefill.
#pragma once

#include <optional>

#include "gpu/door/step_plan.hpp"
#include "policies/cost/prefill_work.hpp"

namespace weft::actors {

// The prefill of `plan`, or nullopt where the step's time would tell of something else: too few
// prefill rows, so that a step's fixed costs speak, or too many decode rows, whose cost is another.
// To be asked before the step runs, while sequences stand where the plan begins.
std::optional<prefill_work> lesson_of(const gpu::step_plan& plan);

}  // namespace weft::actors
