#include "gpu/host/feed_forward.hpp"

#include "gpu/host/weights.hpp"

namespace weft::gpu {

feed_forward::feed_forward(const swiglu_weights& weights, std::int64_t intermediate,
                           std::int64_t hidden, const kernel_table& kernels)
    : gate_up_(stacked_floats({&weights.gate, &weights.up}), 2 * intermediate, hidden, kernels),
      down_(floats_of(weights.down), hidden, intermediate, kernels) {}

void feed_forward::run(step_context& step) const {
  const stopwatch watch(step.times.matrix_ms);
  workspace& space = step.space;
  const step_batch& batch = step.batch;
  gate_up_.run(space.normed.data(), space.projected.data(), batch.prefill_rows, batch.decode_rows,
               step.pool);
  const std::int64_t intermediate = down_.depth();
  step.each_rows([&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row) {
      const float* gate = space.projected.data() + row * gate_up_.cols();
      step.kernels.silu_multiply(gate, gate + intermediate, space.inner.data() + row * intermediate,
                                 intermediate);
    }
  });
  down_.run(space.inner.data(), space.mixed.data(), batch.prefill_rows, batch.decode_rows,
            step.pool);
}

void feed_forward::each_weight(const weight_visitor& see) const {
  see("gate and up projections", gate_up_.weight());
  see("down projection", down_.weight());
}

}  // namespace weft::gpu
