#include "gpu/model/model_shape.hpp"

#include <catch2/catch.hpp>

#include "gpu/host/state_layout.hpp"

namespace weft::gpu {

TEST_CASE("an entry's bytes are those of the published large model", "[gpu][model_shape]") {
  model_shape shape;
  for (int i = 0; i < 40; ++i)
    shape.layers.push_back(i % 4 == 3 ? layer_kind::attention : layer_kind::linear);
  shape.linear = {.key_heads = 16, .value_heads = 32, .key_dim = 128, .value_dim = 128};
  shape.attention = {.heads = 16, .key_value_heads = 2, .head_dim = 256, .rotary_dim = 64};
  CHECK(shape.linear_layers() == 30);
  CHECK(shape.attention_layers() == 10);
  const entry_bytes bytes = bytes_per_entry(shape, 100);
  CHECK(bytes.state == 60 << 20);
  CHECK(bytes.transition == 60 << 20);
  CHECK(bytes.keys_values == 100 * 10 * 2 * 2 * 256 * 4);
  CHECK(bytes.convolution == 30 * 3 * 8192 * 4);
  const state_layout layout(shape);
  CHECK(layout.state_slot_floats() * 4 == bytes.state + bytes.convolution);
  CHECK(layout.transition_slot_floats() * 4 == bytes.transition);
  CHECK(layout.state(1, 0) == layout.conv(0) + layout.conv_floats());
  CHECK(layout.transition(2, 3) == (2 * 32 + 3) * 128 * 128);
}

TEST_CASE("a layer's feed-forward is dense unless the list says otherwise", "[gpu][model_shape]") {
  model_shape shape;
  shape.layers.assign(3, layer_kind::linear);
  CHECK(shape.feed_of(2) == feed_kind::dense);
  CHECK(shape.sparse_layers() == 0);
  shape.feeds = {feed_kind::sparse, feed_kind::dense, feed_kind::sparse};
  CHECK(shape.feed_of(1) == feed_kind::dense);
  CHECK(shape.feed_of(2) == feed_kind::sparse);
  CHECK(shape.sparse_layers() == 2);
}

}  // namespace weft::gpu
