// A mixture of experts (deploy/docs/formulas.md A.6): the router, the experts that rows choose, and
// the expert that all rows share.
//
// Rows are gathered by expert, and each product of all chosen experts is one job of the pool: many
// small experts keep all threads busy, and weights of experts that no row chose are not read. A row
// alone in its expert has the same bits as a row among many (matrix_product), and what its
// experts give is added up in the order of experts, so its bits do not depend on its neighbours.
#pragma once

#include <optional>
#include <vector>

#include "gpu/host/feed_forward.hpp"
#include "gpu/host/gated_product.hpp"
#include "gpu/host/matrix_product.hpp"
#include "gpu/host/step_context.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

class sparse_feed_forward {
 public:
  sparse_feed_forward(const sparse_weights& weights, const sparse_shape& shape, std::int64_t hidden,
                      weight_form form, const kernel_table& kernels);

  // Reads space.normed, writes space.mixed. Requires: space.routing and what goes with it are sized
  // for the step's rows.
  void run(step_context& step, const row_range& range) const;
  std::int64_t inner_floats() const;
  void show(const weight_visitor& visit) const;

 private:
  struct expert {
    gated_product gate_up;
    matrix_product down;
  };

  void route(step_context& step, const row_range& range) const;
  void gather(step_context& step, const row_range& range) const;
  template <class Count, class Part>
  void run_visits(step_context& step, const Count& part_count, const Part& run_part) const;
  void add_up(step_context& step, const row_range& range) const;

  sparse_shape shape_;
  std::int64_t hidden_;
  matrix_product router_;  // A logit for each expert, then the shared expert's gate, if any.
  std::vector<expert> experts_;
  std::optional<feed_forward> shared_;
};

}  // namespace weft::gpu
