// A model folder as a start of the program opens it: weights, and fingerprints that tell what they
// are.
//
// Opening maps files and checks headers. Knowing what was opened takes every byte, once: the first
// time, they are read through the mapping that the weights stay in (tensor_pass), hashed, and
// searched for numbers that are none, in one go. What came of it is remembered for as long as no
// file changes, so later starts read nothing. Threads: any.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "gpu/checkpoint/fingerprint.hpp"
#include "gpu/checkpoint/tensor_index.hpp"
#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

struct opened_model {
  std::filesystem::path folder;
  tensor_index index;
  std::string identity;   // Of the files, from before they were mapped.
  model_weights weights;  // Views into the index's mapping, which they keep.
};

// Failures are those of load_checkpoint.
result<opened_model> open_model(const std::filesystem::path& folder);

struct reading {
  std::filesystem::path cache_folder;  // Made when needed; empty for no cache.
  // As in tensor_pass; not called where nothing is read.
  std::function<void(std::int64_t done, std::int64_t total)> on_progress = {};
};

// Fingerprints of what was opened. `rejected`, naming tensor and element, if a weight is NaN or
// infinite: such a folder is never remembered. Other failures are those of reading the files.
result<fingerprints> fingerprint_of(const opened_model& opened, const reading& how);

}  // namespace weft::gpu
