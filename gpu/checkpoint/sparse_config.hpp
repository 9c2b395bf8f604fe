// The fields of a mixture of experts in a configuration. Internal to gpu/checkpoint.
#pragma once

#include "gpu/checkpoint/config_fields.hpp"
#include "gpu/model/model_shape.hpp"

namespace weft::gpu {

// Reads the feed-forwards of a family whose layers are sparse unless decoder_sparse_step or
// mlp_only_layers says otherwise: shape.feeds, shape.sparse where a layer has experts,
// shape.intermediate where one has none. What is wrong is left in `fields`.
// Requires: shape.layers are read.
void read_sparse(config_fields& fields, model_shape& shape);

}  // namespace weft::gpu
