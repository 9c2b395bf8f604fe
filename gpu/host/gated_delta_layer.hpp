// A gated delta net layer (deploy/docs/formulas.md A.5): projections, convolution, gates,
// recurrence, and the jumps over entries.
#pragma once

#include "gpu/host/matrix_product.hpp"
#include "gpu/host/step_context.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

class gated_delta_layer final : public mixer {
 public:
  // `index`: of this layer among the linear layers; its place inside a slot.
  gated_delta_layer(const gated_delta_weights& weights, const model_shape& shape,
                    std::int64_t index, weight_form form, const kernel_table& kernels);

  void run(step_context& step, std::span<const row_range> wanted) const override;
  std::int64_t projected_floats() const override { return in_.cols(); }
  std::int64_t inner_floats() const override { return out_.depth(); }
  std::int64_t scratch_floats() const override;
  void show(const weight_visitor& visit) const override;

 private:
  void carry_convolution(step_context& step) const;
  void convolve(step_context& step) const;
  void convolve_row(step_context& step, const batch_run& run, std::int64_t offset) const;
  void recur(step_context& step, std::vector<batch_sequence>& sequences) const;
  void gate_outputs(step_context& step, const row_range& range) const;

  std::int64_t gate_column() const { return shape_.conv_channels(); }
  std::int64_t beta_column() const { return gate_column() + shape_.value_heads * shape_.value_dim; }
  std::int64_t decay_column() const { return beta_column() + shape_.value_heads; }

  gated_delta_shape shape_;
  float epsilon_;
  std::int64_t index_;
  matrix_product in_;  // Convolution channels, then z, then b, then a.
  matrix_product out_;
  weight_floats conv_;       // [conv_kernel, conv_channels]
  weight_floats decay_;      // -exp(A_log), [value_heads]
  weight_floats time_bias_;  // [value_heads]
  weight_floats norm_;       // [value_dim]
};

}  // namespace weft::gpu
