// The layers of a model as the host engine runs them, and the walk through them.
//
// The walk knows mixers and feed-forwards by their interfaces only: a new family is a new mixer and
// one more line where layers are made.
#pragma once

#include <memory>
#include <variant>
#include <vector>

#include "gpu/host/feed_forward.hpp"
#include "gpu/host/matrix_product.hpp"
#include "gpu/host/sparse_feed_forward.hpp"
#include "gpu/host/step_context.hpp"
#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

class host_model {
 public:
  // Some rows at a time: a large vocabulary's logits for every row of a long prompt would not fit.
  static constexpr std::int64_t read_out_rows_max = 64;

  // Keeps `weights`; matrices stay in their mapped files or are packed from there.
  host_model(model_weights weights, weight_form form, const kernel_table& kernels);

  const model_shape& shape() const { return weights_.shape; }

  // Makes `space` large enough for `rows` rows and `runs` runs on `threads` threads.
  void size_workspace(workspace& space, std::int64_t rows, std::size_t runs, int threads) const;

  // Shows the memory of every weight as `run` and `read_out` read it, once each.
  void show(const weight_visitor& visit) const;

  // `broken`, naming the first tensor whose memory holds NaN or infinity. Reads all of `show`.
  status check_weights(int threads) const;

  // Room for the residual stream of `rows` rows.
  void size_stream(float_buffer& stream, std::int64_t rows) const;

  // The batch's tokens become the residual stream, and layer after layer takes it on. Nothing but
  // the stream, pages and slots goes from one layer to the next.
  void embed(step_context& step) const;
  void run_layer(step_context& step, std::int64_t index) const;

  // Logits of at most `read_out_rows_max` rows of the stream, listed by index;
  // `logits` [rows, vocabulary]. Uses space.normed.
  void read_out(step_context& step, const std::vector<std::int64_t>& rows,
                std::vector<float>& logits) const;

 private:
  struct layer {
    weight_floats input_norm;
    std::unique_ptr<mixer> mix;
    weight_floats post_norm;
    std::variant<feed_forward, sparse_feed_forward> feed;
  };

  void norm_stream(step_context& step, const row_range& range, const weight_floats& weight) const;
  void add_mixed(step_context& step, const row_range& range) const;

  model_weights weights_;
  std::vector<layer> layers_;
  weight_floats final_norm_;
  matrix_product head_;
};

}  // namespace weft::gpu
