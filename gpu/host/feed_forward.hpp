// The dense feed-forward: down(silu(gate x) * up x).
#pragma once

#include "gpu/host/gated_product.hpp"
#include "gpu/host/step_context.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

class feed_forward {
 public:
  feed_forward(const swiglu_weights& weights, weight_form form, const kernel_table& kernels);

  // Reads space.normed of the range's rows, writes space.mixed.
  void run(step_context& step, const row_range& range) const;
  std::int64_t inner_floats() const { return down_.depth(); }
  void show(const weight_visitor& visit) const;

 private:
  gated_product gate_up_;
  matrix_product down_;
};

}  // namespace weft::gpu
