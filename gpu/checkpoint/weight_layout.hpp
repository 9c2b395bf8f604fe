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
  bool unused = false;  // Has a place in files and no effect: it may be missing.
};

struct tensor_source {
  // Gives the tensor that is asked for, or one without bytes where there is none (and remembers
  // why).
  std::function<tensor_view(const wanted_tensor&)> take;
  // Whether there is a tensor of this name: asked where files keep the same weights in either of
  // two forms. Empty: the first form.
  std::function<bool(const std::string&)> holds = {};
};

// Asks `source` for every tensor of `shape`, in the order of the layers. `prefix` stands before the
// text tensors' names, `head` is the whole name of the output head, asked for unless tied. Experts
// may be fused (one tensor for all) or apart.
model_weights lay_out(const model_shape& shape, const std::string& prefix, const std::string& head,
                      const tensor_source& source);

}  // namespace weft::gpu
