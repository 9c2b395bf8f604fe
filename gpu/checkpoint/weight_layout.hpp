// Which tensors a model of a given shape has: names, shapes and what each is for, written once.
//
// The loader asks a checkpoint for them, random_weights makes them up; both walk this layout. A new
// family of layers is a new branch here. Internal to gpu/checkpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "gpu/model/model_weights.hpp"

namespace weft::gpu {

enum class weight_role : std::uint8_t {
  matrix,             // [out, in]; the embedding too
  zero_centred_norm,  // around 0, used as 1 + w
  plain_norm,         // around 1
  convolution,        // [channels, 1, kernel]
  decay_log,          // A_log: log of the decay rate
  step_bias,          // dt_bias: joins the step before its softplus
};

struct wanted_tensor {
  std::string name;
  std::vector<std::int64_t> dims;
  weight_role role = weight_role::matrix;
};

// Gives the tensor that is asked for, or an empty one where there is none (and remembers why).
using tensor_source = std::function<tensor_view(const wanted_tensor&)>;

// Asks `source` for every tensor of `shape`, in the order of the layers. `prefix` stands before the
// text tensors' names, `head` is the whole name of the output head, asked for unless tied.
model_weights lay_out(const model_shape& shape, const std::string& prefix, const std::string& head,
                      const tensor_source& source);

}  // namespace weft::gpu
