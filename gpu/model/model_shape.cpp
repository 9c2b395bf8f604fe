#include "gpu/model/model_shape.hpp"

#include <algorithm>

namespace weft::gpu {

std::int64_t model_shape::linear_layers() const {
  return std::count(layers.begin(), layers.end(), layer_kind::linear);
}

std::int64_t model_shape::attention_layers() const {
  return std::count(layers.begin(), layers.end(), layer_kind::attention);
}

std::int64_t model_shape::sparse_layers() const {
  return std::count(feeds.begin(), feeds.end(), feed_kind::sparse);
}

feed_kind model_shape::feed_of(std::size_t layer) const {
  return feeds.empty() ? feed_kind::dense : feeds[layer];
}

entry_bytes bytes_per_entry(const model_shape& shape, std::int64_t tokens) {
  constexpr std::int64_t float_bytes = 4;
  const gated_delta_shape& linear = shape.linear;
  const std::int64_t layers = shape.linear_layers();
  return {
      .state = layers * linear.value_heads * linear.key_dim * linear.value_dim * float_bytes,
      .transition = layers * linear.value_heads * linear.key_dim * linear.key_dim * float_bytes,
      .convolution = layers * (linear.conv_kernel - 1) * linear.conv_channels() * float_bytes,
      .keys_values = shape.attention_layers() * 2 * shape.attention.key_value_heads *
                     shape.attention.head_dim * tokens * float_bytes,
  };
}

}  // namespace weft::gpu
