#include "gpu/host/step_runner.hpp"

#include <algorithm>

#include "gpu/host/read_out.hpp"

namespace weft::gpu {

step_runner::step_runner(const host_model& model, const state_layout& layout,
                         const pool_memory& memory, thread_pool& pool, const kernel_table& kernels)
    : model_(model),
      layout_(layout),
      memory_(memory),
      pool_(pool),
      kernels_(kernels),
      check_(model.shape(), layout, memory, pool),
      rope_(model.shape().attention.rotary_dim, model.shape().attention.rope_theta) {}

std::optional<step_outcome> step_runner::run(host_step& step, std::int64_t end_layer) {
  WEFT_ASSERT(step.layers_done_ < end_layer && end_layer <= step.layers_);
  const bool last = end_layer == step.layers_;
  double spent_ms = 0;
  {
    const stopwatch watch(spent_ms);
    if (!step.begun) begin(step);
    run_layers(step, end_layer);
    if (last) {
      step_context context = context_of(step);
      read_outcomes(model_, context, step.plan, step.outcome);
      check_.after(step.batch, step.outcome);
    }
  }
  step.outcome.times.total_ms += spent_ms;
  if (!last) return std::nullopt;
  return std::move(step.outcome);
}

void step_runner::begin(host_step& step) {
  step.outcome = std::move(step.plan.reused);
  step.outcome.times = {};
  check_.before(step.plan, step.outcome);
  lay_out(step.plan, model_.shape().linear.conv_kernel - 1, step.batch);
  rope_.grow(step.batch.positions_end);
  step.begun = true;
}

void step_runner::run_layers(host_step& step, std::int64_t end_layer) {
  model_.size_workspace(space_, step.batch.rows(), step.batch.runs, pool_.threads());
  model_.size_stream(step.stream, step.batch.rows());
  const bool works = step.batch.rows() > 0 || !step.plan.context.empty();
  step_context context = context_of(step);
  if (works && step.layers_done_ == 0) model_.embed(context);
  for (; step.layers_done_ < end_layer; ++step.layers_done_)
    if (works) model_.run_layer(context, step.layers_done_);
  // Threads jump at the same time: the mean is what the step waited for, if the work was even.
  for (const double spent : space_.jump_ms)
    step.outcome.times.splice_ms += spent / static_cast<double>(pool_.threads());
}

step_context step_runner::context_of(host_step& step) {
  return {.batch = step.batch,
          .space = space_,
          .stream = step.stream,
          .memory = memory_,
          .layout = layout_,
          .pool = pool_,
          .kernels = kernels_,
          .rope = rope_.view(),
          .times = step.outcome.times};
}

}  // namespace weft::gpu
