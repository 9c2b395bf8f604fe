// Small checkpoint tensors (norms, gates, convolutions) as float32. Matrices stay where they lie:
// see matrix_product.
#pragma once

#include <vector>

#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

// All elements as float32.
std::vector<float> floats_of(const tensor_view& tensor);

// 1 + w: the factor of a zero-centred norm.
std::vector<float> one_plus(const tensor_view& tensor);

}  // namespace weft::gpu
