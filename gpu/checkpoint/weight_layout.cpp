#include "gpu/checkpoint/weight_layout.hpp"

namespace weft::gpu {
namespace {

gated_delta_weights lay_out_linear(const model_shape& shape, const std::string& prefix,
                                   const tensor_source& source) {
  using enum weight_role;
  const gated_delta_shape& linear = shape.linear;
  const std::int64_t hidden = shape.hidden;
  const std::int64_t channels = linear.conv_channels();
  const std::int64_t heads = linear.value_heads;
  const std::int64_t values = heads * linear.value_dim;
  return {
      .in_qkv = source({prefix + "in_proj_qkv.weight", {channels, hidden}, matrix}),
      .in_z = source({prefix + "in_proj_z.weight", {values, hidden}, matrix}),
      .in_b = source({prefix + "in_proj_b.weight", {heads, hidden}, matrix}),
      .in_a = source({prefix + "in_proj_a.weight", {heads, hidden}, matrix}),
      .conv = source({prefix + "conv1d.weight", {channels, 1, linear.conv_kernel}, convolution}),
      .a_log = source({prefix + "A_log", {heads}, decay_log}),
      .dt_bias = source({prefix + "dt_bias", {heads}, step_bias}),
      .norm = source({prefix + "norm.weight", {linear.value_dim}, plain_norm}),
      .out = source({prefix + "out_proj.weight", {hidden, values}, matrix}),
  };
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
      .query_gate = source({prefix + "q_proj.weight", {2 * queries, hidden}, matrix}),
      .key = source({prefix + "k_proj.weight", {keys, hidden}, matrix}),
      .value = source({prefix + "v_proj.weight", {keys, hidden}, matrix}),
      .out = source({prefix + "o_proj.weight", {hidden, queries}, matrix}),
      .query_norm = source({prefix + "q_norm.weight", {dim}, zero_centred_norm}),
      .key_norm = source({prefix + "k_norm.weight", {dim}, zero_centred_norm}),
  };
}

swiglu_weights lay_out_swiglu(const model_shape& shape, const std::string& prefix,
                              const tensor_source& source) {
  using enum weight_role;
  return {
      .gate = source({prefix + "gate_proj.weight", {shape.intermediate, shape.hidden}, matrix}),
      .up = source({prefix + "up_proj.weight", {shape.intermediate, shape.hidden}, matrix}),
      .down = source({prefix + "down_proj.weight", {shape.hidden, shape.intermediate}, matrix}),
  };
}

layer_weights lay_out_layer(const model_shape& shape, layer_kind kind, const std::string& prefix,
                            const tensor_source& source) {
  using enum weight_role;
  const std::vector<std::int64_t> width = {shape.hidden};
  layer_weights layer;
  layer.input_norm = source({prefix + "input_layernorm.weight", width, zero_centred_norm});
  if (kind == layer_kind::linear) {
    layer.mixer = lay_out_linear(shape, prefix + "linear_attn.", source);
  } else {
    layer.mixer = lay_out_attention(shape, prefix + "self_attn.", source);
  }
  layer.post_norm = source({prefix + "post_attention_layernorm.weight", width, zero_centred_norm});
  layer.feed_forward = lay_out_swiglu(shape, prefix + "mlp.", source);
  return layer;
}

}  // namespace

model_weights lay_out(const model_shape& shape, const std::string& prefix, const std::string& head,
                      const tensor_source& source) {
  using enum weight_role;
  const std::vector<std::int64_t> embedding_dims = {shape.vocabulary, shape.hidden};
  model_weights weights;
  weights.shape = shape;
  weights.embedding = source({prefix + "embed_tokens.weight", embedding_dims, matrix});
  for (std::size_t i = 0; i < shape.layers.size(); ++i) {
    const std::string layer_prefix = prefix + "layers." + std::to_string(i) + ".";
    weights.layers.push_back(lay_out_layer(shape, shape.layers[i], layer_prefix, source));
  }
  weights.final_norm = source({prefix + "norm.weight", {shape.hidden}, zero_centred_norm});
  weights.head = shape.tied_embeddings ? weights.embedding : source({head, embedding_dims, matrix});
  return weights;
}

}  // namespace weft::gpu
