#include "gpu/host/host_model.hpp"

#include <algorithm>
#include <string>

#include "gpu/checkpoint/finite.hpp"
#include "gpu/host/attention_layer.hpp"
#include "gpu/host/gated_delta_layer.hpp"
#include "gpu/host/weights.hpp"

namespace weft::gpu {
namespace {

void grow(float_buffer& buffer, std::int64_t floats) {
  if (static_cast<std::int64_t>(buffer.size()) < floats)
    buffer.resize(static_cast<std::size_t>(floats));
}

std::variant<feed_forward, sparse_feed_forward> make_feed(const layer_weights& from,
                                                          const model_shape& shape,
                                                          weight_form form,
                                                          const kernel_table& kernels) {
  if (const auto* sparse = std::get_if<sparse_weights>(&from.feed_forward))
    return sparse_feed_forward(*sparse, shape.sparse, shape.hidden, form, kernels);
  return feed_forward(std::get<swiglu_weights>(from.feed_forward), form, kernels);
}

const char* where(weight_place place) {
  switch (place) {
    case weight_place::packed: return "in its packed copy";
    case weight_place::copied: return "in its copy of float32";
    case weight_place::mapped: break;
  }
  return "where it is mapped";
}

}  // namespace

host_model::host_model(model_weights weights, weight_form form, const kernel_table& kernels)
    : weights_(std::move(weights)),
      final_norm_{weights_.final_norm.name, one_plus(weights_.final_norm)},
      head_({{weights_.head}}, form, kernels) {
  const model_shape& shape = weights_.shape;
  std::int64_t linear_index = 0;
  std::int64_t attention_index = 0;
  for (const layer_weights& from : weights_.layers) {
    std::unique_ptr<mixer> mix;
    if (const auto* linear = std::get_if<gated_delta_weights>(&from.mixer))
      mix = std::make_unique<gated_delta_layer>(*linear, shape, linear_index++, form, kernels);
    else
      mix = std::make_unique<attention_layer>(std::get<gated_attention_weights>(from.mixer), shape,
                                              attention_index++, form, kernels);
    layers_.push_back({.input_norm = {from.input_norm.name, one_plus(from.input_norm)},
                       .mix = std::move(mix),
                       .post_norm = {from.post_norm.name, one_plus(from.post_norm)},
                       .feed = make_feed(from, shape, form, kernels)});
  }
}

void host_model::size_workspace(workspace& space, std::int64_t rows, std::size_t runs,
                                int threads) const {
  const model_shape& shape = weights_.shape;
  std::int64_t projected = 0;
  std::int64_t inner = 0;
  std::int64_t scratch = 0;
  for (const layer& each : layers_) {
    projected = std::max(projected, each.mix->projected_floats());
    inner = std::max(inner, each.mix->inner_floats());
    std::visit([&](const auto& feed) { inner = std::max(inner, feed.inner_floats()); }, each.feed);
    scratch = std::max(scratch, each.mix->scratch_floats());
  }
  // Reading out norms a block of rows that may be larger than the step.
  grow(space.normed, std::max(rows, read_out_rows_max) * shape.hidden);
  grow(space.mixed, rows * shape.hidden);
  grow(space.projected, rows * projected);
  grow(space.inner, rows * inner);
  grow(space.convolved, rows * shape.linear.conv_channels());
  grow(space.gates, rows * shape.linear.value_heads);
  grow(space.betas, rows * shape.linear.value_heads);
  grow(space.histories, static_cast<std::int64_t>(runs) * (shape.linear.conv_kernel - 1) *
                            shape.linear.conv_channels());
  if (shape.sparse_layers() > 0) {
    const sparse_shape& sparse = shape.sparse;
    grow(space.router_logits, rows * (sparse.experts + 1));
    grow(space.visitors, rows * sparse.experts_per_token * shape.hidden);
    space.routing.reserve(rows, sparse.experts, sparse.experts_per_token);
  }
  space.scratch.resize(static_cast<std::size_t>(threads));
  for (float_buffer& each : space.scratch) grow(each, scratch);
  space.jump_ms.assign(static_cast<std::size_t>(threads), 0.0);
}

void host_model::size_stream(float_buffer& stream, std::int64_t rows) const {
  grow(stream, rows * weights_.shape.hidden);
}

void host_model::embed(step_context& step) const {
  const std::int64_t hidden = weights_.shape.hidden;
  step.each_rows([&](std::int64_t first, std::int64_t rows) {
    for (std::int64_t row = first; row < first + rows; ++row)
      to_float32(weights_.embedding, step.batch.tokens[static_cast<std::size_t>(row)] * hidden,
                 std::span(step.stream.data() + row * hidden, static_cast<std::size_t>(hidden)));
  });
}

void host_model::norm_stream(step_context& step, const row_range& range,
                             const weight_floats& weight) const {
  const std::int64_t hidden = weights_.shape.hidden;
  step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
    step.kernels.rms_norm({.x = step.stream.data() + first * hidden,
                           .x_row = hidden,
                           .weight = weight.data(),
                           .y = step.space.normed.data() + first * hidden,
                           .y_row = hidden,
                           .rows = rows,
                           .width = hidden,
                           .epsilon = static_cast<float>(weights_.shape.norm_epsilon)});
  });
}

void host_model::add_mixed(step_context& step, const row_range& range) const {
  const std::int64_t hidden = weights_.shape.hidden;
  step.each_rows(range, [&](std::int64_t first, std::int64_t rows) {
    step.kernels.add(step.space.mixed.data() + first * hidden, step.stream.data() + first * hidden,
                     rows * hidden);
  });
}

void host_model::run_layer(step_context& step, std::int64_t index) const {
  const layer& each = layers_[static_cast<std::size_t>(index)];
  const row_range all = step.all_rows();
  // Nothing reads the last layer's rows but the logits that were asked for.
  const bool last = &each == &layers_.back();
  const std::span<const row_range> wanted =
      last ? std::span<const row_range>(step.batch.read_ranges) : std::span(&all, 1);
  norm_stream(step, all, each.input_norm);
  each.mix->run(step, wanted);
  for (const row_range& range : wanted) {
    add_mixed(step, range);
    norm_stream(step, range, each.post_norm);
    std::visit([&](const auto& feed) { feed.run(step, range); }, each.feed);
    add_mixed(step, range);
  }
}

void host_model::show(const weight_visitor& visit) const {
  const tensor_view& embedding = weights_.embedding;
  visit({.name = embedding.name,
         .place = weight_place::mapped,
         .type = embedding.type,
         .bytes = embedding.bytes});
  for (const layer& each : layers_) {
    each.input_norm.show(visit);
    each.mix->show(visit);
    each.post_norm.show(visit);
    std::visit([&](const auto& feed) { feed.show(visit); }, each.feed);
  }
  final_norm_.show(visit);
  head_.show([&](const weight_piece& piece) {
    // A tied head that is used in place is the embedding's memory.
    if (piece.bytes.data() != embedding.bytes.data()) visit(piece);
  });
}

status host_model::check_weights(int threads) const {
  std::vector<const std::string*> names;
  std::vector<weight_place> places;
  std::vector<number_memory> memory;
  show([&](const weight_piece& piece) {
    names.push_back(&piece.name);
    places.push_back(piece.place);
    memory.push_back({.type = piece.type, .bytes = piece.bytes});
  });
  const auto bad = find_not_finite(memory, threads);
  if (!bad) return {};
  return broken("the weights are not numbers any more: tensor \"" + *names[bad->part] +
                "\" is not finite " + where(places[bad->part]) +
                "; load the model again, and have the checkpoint inspected if that does not help");
}

void host_model::read_out(step_context& step, const std::vector<std::int64_t>& rows,
                          std::vector<float>& logits) const {
  const std::int64_t hidden = weights_.shape.hidden;
  const auto count = static_cast<std::int64_t>(rows.size());
  logits.resize(static_cast<std::size_t>(count * head_.cols()));
  for (std::int64_t i = 0; i < count; ++i)
    step.kernels.rms_norm({.x = step.stream.data() + rows[static_cast<std::size_t>(i)] * hidden,
                           .x_row = hidden,
                           .weight = final_norm_.data(),
                           .y = step.space.normed.data() + i * hidden,
                           .y_row = hidden,
                           .rows = 1,
                           .width = hidden,
                           .epsilon = static_cast<float>(weights_.shape.norm_epsilon)});
  head_.run(step.space.normed.data(), logits.data(), count, step.pool);
}

}  // namespace weft::gpu
