#include "gpu/checkpoint/sparse_config.hpp"

#include <set>

#include <nlohmann/json.hpp>

#include "gpu/checkpoint/config_bounds.hpp"
#include "gpu/checkpoint/json_file.hpp"

namespace weft::gpu {
namespace {

using nlohmann::json;

// The layers that mlp_only_layers names. Indexes beyond the last layer name none.
std::set<std::int64_t> read_dense_layers(config_fields& fields) {
  std::set<std::int64_t> dense;
  const json* list = fields.find("mlp_only_layers");
  if (list == nullptr) return dense;
  const json indexes = list->is_array() ? *list : json::array({*list});
  for (const json& index : indexes) {
    if (!list->is_array() || !index.is_number_unsigned()) {
      fields.fail("field \"mlp_only_layers\" is " + shown(*list) +
                  " where a list of layers, counted from 0, is wanted");
      return dense;
    }
    dense.insert(index.get<std::int64_t>());
  }
  return dense;
}

// Every decoder_sparse_step-th layer is sparse, unless mlp_only_layers names it.
void read_feeds(config_fields& fields, model_shape& shape) {
  const std::int64_t step = fields.find("decoder_sparse_step") == nullptr
                                ? 1
                                : fields.count("decoder_sparse_step", layers_max);
  const std::set<std::int64_t> dense = read_dense_layers(fields);
  if (!fields.outcome()) return;
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(shape.layers.size()); ++i) {
    const bool sparse = (i + 1) % step == 0 && !dense.contains(i);
    shape.feeds.push_back(sparse ? feed_kind::sparse : feed_kind::dense);
  }
}

void read_experts(config_fields& fields, model_shape& shape) {
  sparse_shape& sparse = shape.sparse;
  sparse.experts = fields.count("num_experts", experts_max);
  sparse.experts_per_token = fields.count("num_experts_per_tok", experts_max);
  sparse.intermediate = fields.count("moe_intermediate_size", width_max);
  const json* shared = fields.find("shared_expert_intermediate_size");
  if (shared == nullptr || *shared != json(0)) {
    sparse.shared_intermediate = fields.count("shared_expert_intermediate_size", width_max);
  }
  if (!fields.outcome()) return;
  if (sparse.experts * shape.sparse_layers() > experts_max) {
    fields.fail("field \"num_experts\" is " + std::to_string(sparse.experts) + ", in " +
                std::to_string(shape.sparse_layers()) + " layers; supported are " +
                std::to_string(experts_max) + " experts in all layers together");
  }
  if (sparse.experts_per_token > sparse.experts) {
    fields.fail("field \"num_experts_per_tok\" is " + std::to_string(sparse.experts_per_token) +
                ", more than num_experts = " + std::to_string(sparse.experts));
  }
}

}  // namespace

void read_sparse(config_fields& fields, model_shape& shape) {
  read_feeds(fields, shape);
  if (shape.sparse_layers() > 0) read_experts(fields, shape);
  const auto layers = static_cast<std::int64_t>(shape.layers.size());
  if (shape.sparse_layers() < layers) {
    shape.intermediate = fields.count("intermediate_size", width_max);
  }
}

}  // namespace weft::gpu
