// Feed-forwards in double: dense, and mixtures of experts (deploy/docs/formulas.md A.6).
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "gpu/model/model_weights.hpp"
#include "gpu/reference/matrix.hpp"

namespace weft::gpu::reference {

// down(silu(gate x) * up x) for every row.
class dense_feed_forward {
 public:
  explicit dense_feed_forward(const swiglu_weights& weights);
  matrix forward(const matrix& x) const;

 private:
  matrix gate_, up_, down_;
};

// The experts that a token goes to and their weights, by ascending expert.
struct expert_choice {
  std::vector<std::int64_t> experts;
  std::vector<double> weights;
};

// p = softmax(logits) over all experts; the `count` largest are chosen, of equal ones the lower
// index; `renormalise`: their weights are divided by their sum.
// Requires: 1 <= count <= logits.size().
expert_choice choose_experts(std::span<const double> logits, std::int64_t count, bool renormalise);

// sum_e p_e expert_e(x) + sigmoid(w_s x) shared(x) for every row.
class sparse_feed_forward {
 public:
  sparse_feed_forward(const sparse_shape& shape, const sparse_weights& weights);
  matrix forward(const matrix& x) const;

 private:
  sparse_shape shape_;
  matrix router_;
  std::vector<dense_feed_forward> experts_;
  std::optional<dense_feed_forward> shared_;
  matrix shared_gate_;
};

}  // namespace weft::gpu::reference
