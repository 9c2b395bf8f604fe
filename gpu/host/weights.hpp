// Checkpoint tensors in the form the host engine computes with: float32, related matrices stacked.
#pragma once

#include <initializer_list>
#include <vector>

#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

// All elements as float32.
std::vector<float> floats_of(const tensor_view& tensor);

std::vector<float> floats_of(const stacked_view& stack);

// Rows of several matrices of one width, one below the other.
std::vector<float> stacked_floats(std::initializer_list<const tensor_view*> matrices);

// 1 + w: the factor of a zero-centred norm.
std::vector<float> one_plus(const tensor_view& tensor);

}  // namespace weft::gpu
