// inner[rows, width] = silu(gate x) * up x: the first half of a feed-forward, in one job.
//
// Whoever has computed a tile of gate and up joins the two while they are in its cache: a job of
// their own would fetch both from memory again.
//
// Threads: keeps no state, so any number of parts may run at once.
#pragma once

#include "gpu/host/matrix_product.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

class gated_product {
 public:
  // Borrows as matrix_product does. Requires: gate and up have the same dims.
  gated_product(const swiglu_weights& weights, weight_form form, const kernel_table& kernels);

  std::int64_t depth() const { return gate_up_.depth(); }
  std::int64_t width() const { return gate_up_.cols() / 2; }
  // Every part in [0, part_count) once, in any order, on any threads.
  //   x [rows, depth]; inner [rows, width]
  std::int64_t part_count(std::int64_t rows) const { return gate_up_.part_count(rows) / 2; }
  void run_part(std::int64_t part, const float* x, float* inner, std::int64_t rows) const;

  // What parts read of gate and up.
  void show(const weight_visitor& visit) const { gate_up_.show(visit); }

 private:
  matrix_product gate_up_;  // Gate rows, then up rows.
  const kernel_table* kernels_;
};

}  // namespace weft::gpu
