#include "gpu/host/attention_layer.hpp"

#include <algorithm>
#include <cmath>

#include "gpu/host/weights.hpp"

namespace weft::gpu {
namespace {

// Query rows (queries times heads of a group) that share a pass over a key block: enough to hide
// the reading of keys and values, few enough that queries and sums stay in the second-level cache.
constexpr std::int64_t query_rows = 96;

}  // namespace

attention_layer::attention_layer(const gated_attention_weights& weights, const model_shape& shape,
                                 std::int64_t index, weight_form form, const kernel_table& kernels)
    : shape_(shape.attention),
      epsilon_(static_cast<float>(shape.norm_epsilon)),
      index_(index),
      in_({{weights.query_gate, weights.key, weights.value}}, form, kernels),
      out_({{weights.out}}, form, kernels),
      query_norm_{weights.query_norm.name, one_plus(weights.query_norm)},
      key_norm_{weights.key_norm.name, one_plus(weights.key_norm)} {}

std::int64_t attention_layer::block_queries() const {
  return std::max(std::int64_t{1}, query_rows / group());
}

std::int64_t attention_layer::scratch_floats() const {
  return attention_scratch_floats(block_queries() * group(), shape_.head_dim);
}

void attention_layer::show(const weight_visitor& visit) const {
  for (const matrix_product* each : {&in_, &out_}) each->show(visit);
  for (const weight_floats* each : {&query_norm_, &key_norm_}) each->show(visit);
}

page_view attention_layer::pages_of(const step_context& step, std::int64_t key_value_head) const {
  const std::int64_t head_floats = 2 * shape_.head_dim * page_tokens;
  return {.arena = step.memory.pages.base(),
          .page_floats = step.memory.pages.unit_floats(),
          .offset = (index_ * shape_.key_value_heads + key_value_head) * head_floats,
          .head_dim = shape_.head_dim};
}

void attention_layer::run(step_context& step, std::span<const row_range> wanted) const {
  workspace& space = step.space;
  project(step, wanted);
  {
    const stopwatch watch(step.times.attention_ms);
    store_keys_values(step);
    for (const row_range& range : wanted) norm_queries(step, range);
    attend(step, wanted);
    const std::int64_t dim = shape_.head_dim;
    for (const row_range& range : wanted)
      step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
        for (std::int64_t row = first; row < first + rows; ++row)
          for (std::int64_t head = 0; head < shape_.heads; ++head) {
            float* y = space.inner.data() + (row * shape_.heads + head) * dim;
            const float* gate = space.projected.data() + row * in_.cols() + (2 * head + 1) * dim;
            step.kernels.sigmoid_multiply(gate, y, y, dim);
          }
      });
  }
  const stopwatch watch(step.times.matrix_ms);
  for (const row_range& range : wanted)
    out_.run(space.inner.data() + range.first * out_.depth(),
             space.mixed.data() + range.first * out_.cols(), range.rows, step.pool);
}

// Keys and values of all rows, queries and gates of those that are wanted.
void attention_layer::project(step_context& step, std::span<const row_range> wanted) const {
  const stopwatch watch(step.times.matrix_ms);
  const std::int64_t rows = step.batch.rows();
  const float* x = step.space.normed.data();
  float* y = step.space.projected.data();
  if (wanted.size() == 1 && wanted.front().rows == rows) {
    in_.run(x, y, rows, step.pool);
    return;
  }
  const std::int64_t query_cols = 2 * shape_.heads * shape_.head_dim;
  in_.run_columns(query_cols, in_.cols() - query_cols, x, y, rows, step.pool);
  for (const row_range& range : wanted)
    in_.run_columns(0, query_cols, x + range.first * in_.depth(), y + range.first * in_.cols(),
                    range.rows, step.pool);
}

void attention_layer::norm_queries(step_context& step, const row_range& range) const {
  const std::int64_t dim = shape_.head_dim;
  step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row) {
      float* queries = step.space.projected.data() + row * in_.cols();
      step.kernels.rms_norm({.x = queries,
                             .x_row = 2 * dim,
                             .weight = query_norm_.data(),
                             .y = queries,
                             .y_row = 2 * dim,
                             .rows = shape_.heads,
                             .width = dim,
                             .epsilon = epsilon_});
    }
  });
}

// Norms keys in place, turns them to their positions and files keys and values.
void attention_layer::store_keys_values(step_context& step) const {
  const std::int64_t dim = shape_.head_dim;
  step.each_rows([&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row) {
      float* keys = step.space.projected.data() + row * in_.cols() + 2 * shape_.heads * dim;
      const float* values = keys + shape_.key_value_heads * dim;
      step.kernels.rms_norm({.x = keys,
                             .x_row = dim,
                             .weight = key_norm_.data(),
                             .y = keys,
                             .y_row = dim,
                             .rows = shape_.key_value_heads,
                             .width = dim,
                             .epsilon = epsilon_});
      const auto at = static_cast<std::size_t>(row);
      const std::int32_t page = step.batch.key_pages[at];
      const std::int32_t slot = step.batch.key_slots[at];
      for (std::int64_t head = 0; head < shape_.key_value_heads; ++head) {
        float* key = keys + head * dim;
        step.kernels.rope({.x = key,
                           .y = key,
                           .width = dim,
                           .position = step.batch.positions[at],
                           .rope = step.rope});
        const page_view pages = pages_of(step, head);
        float* column = pages.keys(page) + slot;
        for (std::int64_t i = 0; i < dim; ++i) column[i * page_tokens] = key[i];
        std::copy_n(values + head * dim, dim, pages.values(page) + slot * dim);
      }
    }
  });
}

// As one block of queries, a tail and the head after it read the keys before them once. A query's
// bits do not depend on the queries beside it.
void attention_layer::list_blocks(step_context& step, std::span<const row_range> wanted) const {
  std::vector<query_block>& blocks = step.space.query_blocks;
  blocks.clear();
  for (const batch_stretch& each : step.batch.stretches)
    for (const row_range& range : wanted) {
      const std::int64_t begin = std::max(each.first_row, range.first);
      const std::int64_t end = std::min(each.first_row + each.tokens, range.first + range.rows);
      for (std::int64_t row = begin; row < end; row += block_queries())
        for (std::int64_t head = 0; head < shape_.key_value_heads; ++head)
          blocks.push_back({each.sequence, row, each.position + row - each.first_row,
                            std::min(block_queries(), end - row), head});
    }
}

void attention_layer::attend(step_context& step, std::span<const row_range> wanted) const {
  list_blocks(step, wanted);
  const std::vector<query_block>& blocks = step.space.query_blocks;
  const std::int64_t dim = shape_.head_dim;
  const auto scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(dim)));
  step.pool.run(static_cast<std::int64_t>(blocks.size()), [&](std::int64_t index, int worker) {
    const query_block& at = blocks[static_cast<std::size_t>(index)];
    step.kernels.attention(
        {.tokens = at.tokens,
         .group = group(),
         .position = at.position,
         .q = step.space.projected.data() + at.row * in_.cols() + at.head * group() * 2 * dim,
         .q_row = in_.cols(),
         .q_head = 2 * dim,
         .spans = at.sequence->spans.data(),
         .span_count = static_cast<std::int64_t>(at.sequence->spans.size()),
         .pages = pages_of(step, at.head),
         .rope = step.rope,
         .scale = scale,
         .out = step.space.inner.data() + (at.row * shape_.heads + at.head * group()) * dim,
         .out_row = shape_.heads * dim,
         .out_head = dim,
         .scratch = step.space.scratch[static_cast<std::size_t>(worker)].data()});
  });
}

}  // namespace weft::gpu
