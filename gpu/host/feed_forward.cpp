#include "gpu/host/feed_forward.hpp"

namespace weft::gpu {

feed_forward::feed_forward(const swiglu_weights& weights, weight_form form,
                           const kernel_table& kernels)
    : gate_up_({{weights.gate, weights.up}}, form, kernels),
      down_({{weights.down}}, form, kernels) {}

void feed_forward::show(const weight_visitor& visit) const {
  gate_up_.show(visit);
  down_.show(visit);
}

void feed_forward::run(step_context& step, const row_range& range) const {
  const stopwatch watch(step.times.matrix_ms);
  workspace& space = step.space;
  const std::int64_t hidden = down_.cols();
  const std::int64_t intermediate = down_.depth();
  gate_up_.run(space.normed.data() + range.first * hidden,
               space.projected.data() + range.first * gate_up_.cols(), range.rows, step.pool);
  step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row) {
      const float* gate = space.projected.data() + row * gate_up_.cols();
      step.kernels.silu_multiply(gate, gate + intermediate, space.inner.data() + row * intermediate,
                                 intermediate);
    }
  });
  down_.run(space.inner.data() + range.first * intermediate,
            space.mixed.data() + range.first * hidden, range.rows, step.pool);
}

}  // namespace weft::gpu
