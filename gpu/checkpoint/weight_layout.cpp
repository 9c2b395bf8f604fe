#include "gpu/checkpoint/weight_layout.hpp"

namespace weft::gpu {
namespace {

// The rows of a tensor that is grouped by key head: every group has `widths[0]` rows of the first
// part, then `widths[1]` of the second, and so on. Gives each part's rows in the order of groups.
std::vector<stacked_view> cut_groups(const tensor_view& grouped, std::int64_t groups,
                                     const std::vector<std::int64_t>& widths) {
  std::vector<stacked_view> parts(widths.size());
  std::int64_t row = 0;
  for (std::int64_t group = 0; group < groups; ++group) {
    for (std::size_t part = 0; part < widths.size(); ++part) {
      parts[part].blocks.push_back(rows_of(grouped, row, widths[part]));
      row += widths[part];
    }
  }
  return parts;
}

// Qwen3-Next's two input projections: per key head q, k, and the v and z of its value heads; per
// key head the b and a of its value heads.
void lay_out_grouped(const model_shape& shape, const std::string& prefix,
                     const tensor_source& source, gated_delta_weights& weights) {
  using enum weight_role;
  const gated_delta_shape& linear = shape.linear;
  const std::int64_t ratio = linear.value_heads / linear.key_heads;
  const std::int64_t keys = linear.key_dim;
  const std::int64_t values = ratio * linear.value_dim;
  const std::int64_t rows = linear.key_heads * (2 * keys + 2 * values);
  const auto qkvz =
      cut_groups(source.take({prefix + "in_proj_qkvz.weight", {rows, shape.hidden}, matrix}),
                 linear.key_heads, {keys, keys, values, values});
  const auto ba = cut_groups(
      source.take({prefix + "in_proj_ba.weight", {2 * linear.value_heads, shape.hidden}, matrix}),
      linear.key_heads, {ratio, ratio});
  weights.in_qkv = stacked({qkvz[0], qkvz[1], qkvz[2]});
  weights.in_z = qkvz[3];
  weights.in_b = ba[0];
  weights.in_a = ba[1];
}

gated_delta_weights lay_out_linear(const model_shape& shape, const std::string& prefix,
                                   const tensor_source& source) {
  using enum weight_role;
  const gated_delta_shape& linear = shape.linear;
  const std::int64_t hidden = shape.hidden;
  const std::int64_t channels = linear.conv_channels();
  const std::int64_t heads = linear.value_heads;
  const std::int64_t values = heads * linear.value_dim;
  gated_delta_weights weights;
  if (linear.grouped_projections) {
    lay_out_grouped(shape, prefix, source, weights);
  } else {
    const auto whole = [&](const char* name, std::int64_t rows) {
      return stacked_view{{source.take({prefix + name, {rows, hidden}, matrix})}};
    };
    weights.in_qkv = whole("in_proj_qkv.weight", channels);
    weights.in_z = whole("in_proj_z.weight", values);
    weights.in_b = whole("in_proj_b.weight", heads);
    weights.in_a = whole("in_proj_a.weight", heads);
  }
  weights.conv =
      source.take({prefix + "conv1d.weight", {channels, 1, linear.conv_kernel}, convolution});
  weights.a_log = source.take({prefix + "A_log", {heads}, decay_log});
  weights.dt_bias = source.take({prefix + "dt_bias", {heads}, step_bias});
  weights.norm = source.take({prefix + "norm.weight", {linear.value_dim}, plain_norm});
  weights.out = source.take({prefix + "out_proj.weight", {hidden, values}, matrix});
  return weights;
}

gated_attention_weights lay_out_attention(const model_shape& shape, const std::string& prefix,
                                          const tensor_source& source) {
  using enum weight_role;
  const attention_shape& attention = shape.attention;
  const std::int64_t hidden = shape.hidden;
  const std::int64_t dim = attention.head_dim;
  const std::int64_t queries = attention.heads * dim;
  const std::int64_t keys = attention.key_value_heads * dim;
  return {
      .query_gate = source.take({prefix + "q_proj.weight", {2 * queries, hidden}, matrix}),
      .key = source.take({prefix + "k_proj.weight", {keys, hidden}, matrix}),
      .value = source.take({prefix + "v_proj.weight", {keys, hidden}, matrix}),
      .out = source.take({prefix + "o_proj.weight", {hidden, queries}, matrix}),
      .query_norm = source.take({prefix + "q_norm.weight", {dim}, zero_centred_norm}),
      .key_norm = source.take({prefix + "k_norm.weight", {dim}, zero_centred_norm}),
  };
}

swiglu_weights lay_out_swiglu(std::int64_t hidden, std::int64_t intermediate,
                              const std::string& prefix, const tensor_source& source) {
  using enum weight_role;
  return {
      .gate = source.take({prefix + "gate_proj.weight", {intermediate, hidden}, matrix}),
      .up = source.take({prefix + "up_proj.weight", {intermediate, hidden}, matrix}),
      .down = source.take({prefix + "down_proj.weight", {hidden, intermediate}, matrix}),
  };
}

// All experts of a layer, from two tensors or from three for each.
std::vector<swiglu_weights> lay_out_experts(const model_shape& shape, const std::string& prefix,
                                            const tensor_source& source) {
  using enum weight_role;
  const std::int64_t count = shape.sparse.experts;
  const std::int64_t inner = shape.sparse.intermediate;
  const std::int64_t hidden = shape.hidden;
  std::vector<swiglu_weights> experts;
  if (source.holds && !source.holds(prefix + "gate_up_proj")) {
    for (std::int64_t i = 0; i < count; ++i) {
      experts.push_back(lay_out_swiglu(hidden, inner, prefix + std::to_string(i) + ".", source));
    }
    return experts;
  }
  const tensor_view gate_up =
      source.take({prefix + "gate_up_proj", {count, 2 * inner, hidden}, matrix});
  const tensor_view down = source.take({prefix + "down_proj", {count, hidden, inner}, matrix});
  for (std::int64_t i = 0; i < count; ++i) {
    const tensor_view both = part_of(gate_up, i);
    experts.push_back({.gate = rows_of(both, 0, inner),
                       .up = rows_of(both, inner, inner),
                       .down = part_of(down, i)});
  }
  return experts;
}

sparse_weights lay_out_sparse(const model_shape& shape, const std::string& prefix,
                              const tensor_source& source) {
  using enum weight_role;
  const sparse_shape& sparse = shape.sparse;
  sparse_weights weights;
  weights.router = source.take({prefix + "gate.weight", {sparse.experts, shape.hidden}, matrix});
  weights.experts = lay_out_experts(shape, prefix + "experts.", source);
  // A shared expert of no size adds nothing, whatever its gate, which files may keep all the same.
  const bool shared = sparse.shared_intermediate > 0;
  const tensor_view gate = source.take(
      {prefix + "shared_expert_gate.weight", {1, shape.hidden}, matrix, /*unused=*/!shared});
  if (shared) {
    weights.shared = {.expert = lay_out_swiglu(shape.hidden, sparse.shared_intermediate,
                                               prefix + "shared_expert.", source),
                      .gate = gate};
  }
  return weights;
}

layer_weights lay_out_layer(const model_shape& shape, std::size_t index, const std::string& prefix,
                            const tensor_source& source) {
  using enum weight_role;
  const std::vector<std::int64_t> width = {shape.hidden};
  layer_weights layer;
  layer.input_norm = source.take({prefix + "input_layernorm.weight", width, zero_centred_norm});
  if (shape.layers[index] == layer_kind::linear) {
    layer.mixer = lay_out_linear(shape, prefix + "linear_attn.", source);
  } else {
    layer.mixer = lay_out_attention(shape, prefix + "self_attn.", source);
  }
  layer.post_norm =
      source.take({prefix + "post_attention_layernorm.weight", width, zero_centred_norm});
  if (shape.feed_of(index) == feed_kind::sparse) {
    layer.feed_forward = lay_out_sparse(shape, prefix + "mlp.", source);
  } else {
    layer.feed_forward = lay_out_swiglu(shape.hidden, shape.intermediate, prefix + "mlp.", source);
  }
  return layer;
}

}  // namespace

model_weights lay_out(const model_shape& shape, const std::string& prefix, const std::string& head,
                      const tensor_source& source) {
  using enum weight_role;
  const std::vector<std::int64_t> embedding_dims = {shape.vocabulary, shape.hidden};
  model_weights weights;
  weights.shape = shape;
  weights.embedding = source.take({prefix + "embed_tokens.weight", embedding_dims, matrix});
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    const std::string layer_prefix = prefix + "layers." + std::to_string(i) + ".";
    weights.layers.push_back(lay_out_layer(shape, i, layer_prefix, source));
  }
  weights.final_norm = source.take({prefix + "norm.weight", {shape.hidden}, zero_centred_norm});
  weights.head =
      shape.tied_embeddings ? weights.embedding : source.take({head, embedding_dims, matrix});
  return weights;
}

}  // namespace weft::gpu
