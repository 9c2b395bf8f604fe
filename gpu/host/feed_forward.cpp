#include "gpu/host/feed_forward.hpp"

namespace weft::gpu {

feed_forward::feed_forward(const swiglu_weights& weights, weight_form form,
                           const kernel_table& kernels)
    : gate_up_(weights, form, kernels), down_({{weights.down}}, form, kernels) {}

void feed_forward::show(const weight_visitor& visit) const {
  gate_up_.show(visit);
  down_.show(visit);
}

void feed_forward::run(step_context& step, const row_range& range) const {
  const stopwatch watch(step.times.matrix_ms);
  workspace& space = step.space;
  const std::int64_t hidden = down_.cols();
  const std::int64_t intermediate = down_.depth();
  step.pool.run(gate_up_.part_count(range.rows), [&](std::int64_t part, int) {
    gate_up_.run_part(part, space.normed.data() + range.first * hidden,
                      space.inner.data() + range.first * intermediate, range.rows);
  });
  down_.run(space.inner.data() + range.first * intermediate,
            space.mixed.data() + range.first * hidden, range.rows, step.pool);
}

}  // namespace weft::gpu
