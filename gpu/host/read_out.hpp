// From the last residual stream to what a step tells: tokens, logits, scores, and which sequences
// went wrong.
#pragma once

#include "gpu/door/step_outcome.hpp"
#include "gpu/host/host_model.hpp"

namespace weft::gpu {

// Fills outcome.isolated and outcome.context, which have the plan's sequences in its order. A
// sequence whose logits hold NaN or infinity gets a `broken` failure.
void read_outcomes(const host_model& model, step_context& step, const step_plan& plan,
                   step_outcome& outcome);

}  // namespace weft::gpu
