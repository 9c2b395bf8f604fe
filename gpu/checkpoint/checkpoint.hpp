// A model folder turned into model_weights: the configuration read, every tensor found.
//
// Tensors stay in their mapped files; nothing is converted or copied. Vision and multi-token
// prediction tensors are skipped. Threads: any.
#pragma once

#include <filesystem>

#include "gpu/checkpoint/tensor_index.hpp"
#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// Reads config.json and the safetensors files of `folder`. Text tensors may stand under `model.`,
// `model.language_model.` or `language_model.model.`. Failures name the tensor and, for a wrong
// shape, the one expected and the one found. A tensor of the text layers that nobody would read (a
// bias, a scale, a layer too many) is refused too: ignoring it would give another model's answers.
// Values are not looked at: see opened_model.hpp, or check_finite in finite.hpp.
result<model_weights> load_checkpoint(const std::filesystem::path& folder);

// The same where the folder's tensors are mapped already; the weights keep that mapping.
result<model_weights> load_checkpoint(const std::filesystem::path& folder,
                                      const tensor_index& index);

}  // namespace weft::gpu
