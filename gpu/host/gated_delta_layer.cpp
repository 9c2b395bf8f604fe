#include "gpu/host/gated_delta_layer.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/host/gated_delta_walk.hpp"
#include "gpu/host/weights.hpp"

namespace weft::gpu {
namespace {

constexpr std::int64_t conv_kernel_max = 8;

std::vector<float> transposed(const std::vector<float>& matrix, std::int64_t rows,
                              std::int64_t cols) {
  std::vector<float> made(matrix.size());
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col)
      made[static_cast<std::size_t>(col * rows + row)] =
          matrix[static_cast<std::size_t>(row * cols + col)];
  return made;
}

// log(1 + e^x), in double: gates are few, and their sums run over whole segments.
double softplus(double x) { return x > 20 ? x : std::log1p(std::exp(x)); }

}  // namespace

gated_delta_layer::gated_delta_layer(const gated_delta_weights& weights, const model_shape& shape,
                                     std::int64_t index, weight_form form,
                                     const kernel_table& kernels)
    : shape_(shape.linear),
      epsilon_(static_cast<float>(shape.norm_epsilon)),
      index_(index),
      in_(stacked({weights.in_qkv, weights.in_z, weights.in_b, weights.in_a}), form, kernels),
      out_({{weights.out}}, form, kernels),
      conv_{weights.conv.name,
            transposed(floats_of(weights.conv), shape_.conv_channels(), shape_.conv_kernel)},
      decay_{weights.a_log.name, floats_of(weights.a_log)},
      time_bias_{weights.dt_bias.name, floats_of(weights.dt_bias)},
      norm_{weights.norm.name, floats_of(weights.norm)} {
  for (float& value : decay_.values) value = -std::exp(value);
}

void gated_delta_layer::show(const weight_visitor& visit) const {
  for (const matrix_product* each : {&in_, &out_}) each->show(visit);
  for (const weight_floats* each : {&conv_, &decay_, &time_bias_, &norm_}) each->show(visit);
}

std::int64_t gated_delta_layer::scratch_floats() const {
  return std::max(gated_delta_scratch_floats(shape_.key_dim, shape_.value_dim),
                  shape_.key_dim * shape_.value_dim);
}

void gated_delta_layer::run(step_context& step, std::span<const row_range> wanted) const {
  workspace& space = step.space;
  const step_batch& batch = step.batch;
  {
    const stopwatch watch(step.times.matrix_ms);
    in_.run(space.normed.data(), space.projected.data(), batch.rows(), step.pool);
  }
  {
    const stopwatch watch(step.times.linear_ms);
    carry_convolution(step);
    convolve(step);
    recur(step, step.batch.isolated);
    recur(step, step.batch.context);
    for (const row_range& range : wanted) gate_outputs(step, range);
  }
  const stopwatch watch(step.times.matrix_ms);
  for (const row_range& range : wanted)
    out_.run(space.inner.data() + range.first * out_.depth(),
             space.mixed.data() + range.first * out_.cols(), range.rows, step.pool);
}

// Follows each sequence's convolution history through its work, in order: keeps what each run
// starts from, and leaves slots and entries with the rows after them.
void gated_delta_layer::carry_convolution(step_context& step) const {
  const std::int64_t channels = shape_.conv_channels();
  const std::int64_t kept = shape_.conv_kernel - 1;
  const std::int64_t floats = kept * channels;
  const auto append = [&](float* history, const float* rows, std::int64_t count,
                          std::int64_t stride) {
    const std::int64_t fresh = std::min(count, kept);
    std::copy(history + fresh * channels, history + floats, history);
    for (std::int64_t i = 0; i < fresh; ++i)
      std::copy_n(rows + (count - fresh + i) * stride, channels,
                  history + (kept - fresh + i) * channels);
  };
  const auto slot_rows = [&](const unit_lease& slot) {
    return step.memory.states.unit(slot.id()) + step.layout.conv(index_);
  };
  step.batch.each([&](batch_sequence& one) {
    float* history = slot_rows(one.target->state_slot);
    if (one.starts_at_zero) std::fill_n(history, floats, 0.0F);
    for (const batch_work& work : one.work) {
      if (const auto* run = std::get_if<batch_run>(&work)) {
        std::copy_n(history, floats,
                    step.space.histories.data() + static_cast<std::int64_t>(run->index) * floats);
        append(history, step.space.projected.data() + run->first_row * in_.cols(), run->tokens,
               in_.cols());
      } else if (const auto* splice = std::get_if<batch_splice>(&work)) {
        const float* rows = slot_rows(splice->what->state_slot);
        append(history, rows + (kept - splice->what->conv_rows) * channels, splice->what->conv_rows,
               channels);
      } else if (const auto* restore = std::get_if<batch_restore>(&work)) {
        std::copy_n(slot_rows(restore->what->state_slot), floats, history);
      } else if (const auto* end = std::get_if<batch_end>(&work)) {
        std::copy_n(history, floats, slot_rows(end->what->state_slot));
      }
    }
  });
}

// Convolution and silu, normalised queries and keys, gates: one row at a time.
void gated_delta_layer::convolve(step_context& step) const {
  const std::vector<batch_part>& parts = step.batch.parts;
  step.pool.run(static_cast<std::int64_t>(parts.size()), [&](std::int64_t index, int) {
    const batch_part& part = parts[static_cast<std::size_t>(index)];
    for (std::int64_t i = 0; i < part.tokens; ++i) convolve_row(step, *part.run, part.first + i);
  });
}

void gated_delta_layer::convolve_row(step_context& step, const batch_run& run,
                                     std::int64_t offset) const {
  const std::int64_t channels = shape_.conv_channels();
  const std::int64_t kept = shape_.conv_kernel - 1;
  const std::int64_t row = run.first_row + offset;
  std::array<const float*, conv_kernel_max> taps = {};
  for (std::int64_t j = 0; j < shape_.conv_kernel; ++j) {
    const std::int64_t source = offset - kept + j;
    taps[static_cast<std::size_t>(j)] =
        source >= 0 ? step.space.projected.data() + (run.first_row + source) * in_.cols()
                    : step.space.histories.data() +
                          (static_cast<std::int64_t>(run.index) * kept + kept + source) * channels;
  }
  float* y = step.space.convolved.data() + row * channels;
  step.kernels.conv_silu({.taps = taps.data(),
                          .weight = conv_.data(),
                          .y = y,
                          .channels = channels,
                          .kernel = static_cast<int>(shape_.conv_kernel)});
  const std::int64_t key_floats = shape_.key_heads * shape_.key_dim;
  const auto query_scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(shape_.key_dim)));
  step.kernels.l2_norm(
      {.x = y, .heads = shape_.key_heads, .width = shape_.key_dim, .scale = query_scale});
  step.kernels.l2_norm({.x = y + key_floats, .heads = shape_.key_heads, .width = shape_.key_dim});
  const float* projected = step.space.projected.data() + row * in_.cols();
  for (std::int64_t head = 0; head < shape_.value_heads; ++head) {
    const auto at = static_cast<std::size_t>(head);
    const double time = projected[decay_column() + head] + time_bias_[at];
    const double beta = projected[beta_column() + head];
    step.space.gates[static_cast<std::size_t>(row * shape_.value_heads + head)] =
        static_cast<float>(decay_[at] * softplus(time));
    step.space.betas[static_cast<std::size_t>(row * shape_.value_heads + head)] =
        static_cast<float>(1.0 / (1.0 + std::exp(-beta)));
  }
}

// One part per sequence and head, so that a head's state stays with one thread.
void gated_delta_layer::recur(step_context& step, std::vector<batch_sequence>& sequences) const {
  const auto parts = static_cast<std::int64_t>(sequences.size()) * shape_.value_heads;
  step.pool.run(parts, [&](std::int64_t index, int worker) {
    batch_sequence& one = sequences[static_cast<std::size_t>(index / shape_.value_heads)];
    gated_delta_walk walk(step, shape_, index_, index % shape_.value_heads, worker);
    walk.run(one);
  });
}

void gated_delta_layer::gate_outputs(step_context& step, const row_range& range) const {
  const std::int64_t inner = out_.depth();
  step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row) {
      float* y = step.space.inner.data() + row * inner;
      const float* gate = step.space.projected.data() + row * in_.cols() + gate_column();
      step.kernels.rms_norm({.x = y,
                             .x_row = shape_.value_dim,
                             .weight = norm_.data(),
                             .y = y,
                             .y_row = shape_.value_dim,
                             .rows = shape_.value_heads,
                             .width = shape_.value_dim,
                             .epsilon = epsilon_});
      step.kernels.silu_multiply(gate, y, y, inner);
    }
  });
}

}  // namespace weft::gpu
