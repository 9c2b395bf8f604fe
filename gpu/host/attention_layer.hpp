// Gated full attention (deploy/docs/formulas.md A.4) over segment-rotated key spans.
#pragma once

#include "gpu/host/matrix_product.hpp"
#include "gpu/host/step_context.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

class attention_layer final : public mixer {
 public:
  // `index`: of this layer among the attention layers; its place inside a page.
  attention_layer(const gated_attention_weights& weights, const model_shape& shape,
                  std::int64_t index, weight_form form, const kernel_table& kernels);

  void run(step_context& step, std::span<const row_range> wanted) const override;
  std::int64_t projected_floats() const override { return in_.cols(); }
  std::int64_t inner_floats() const override { return out_.depth(); }
  std::int64_t scratch_floats() const override;
  void show(const weight_visitor& visit) const override;

 private:
  page_view pages_of(const step_context& step, std::int64_t key_value_head) const;
  void store_keys_values(step_context& step) const;
  void project(step_context& step, std::span<const row_range> wanted) const;
  void norm_queries(step_context& step, const row_range& range) const;
  void list_blocks(step_context& step, std::span<const row_range> wanted) const;
  void attend(step_context& step, std::span<const row_range> wanted) const;
  std::int64_t group() const { return shape_.heads / shape_.key_value_heads; }
  std::int64_t block_queries() const;

  attention_shape shape_;
  float epsilon_;
  std::int64_t index_;
  matrix_product in_;  // Per head query and gate rows, then keys, then values.
  matrix_product out_;
  weight_floats query_norm_;
  weight_floats key_norm_;
};

}  // namespace weft::gpu
