// All tensors of a model folder by name: one `model.safetensors`, or the shards that
// `model.safetensors.index.json` lists.
//
// Opening maps every file and checks every header; no tensor is read. Threads: any, once opened.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "gpu/checkpoint/safetensors.hpp"

namespace weft::gpu {

class tensor_index {
 public:
  // `unavailable` where no weights are found, `rejected` for malformed files, an index that names
  // files outside the folder, or one that puts a tensor into a shard that does not have it. A
  // single file wins over an index, as in the public implementation.
  static result<tensor_index> open(const std::filesystem::path& folder);

  // The tensor of that name, or nullptr. Lifetime: as the index; its bytes: as `storage`.
  const stored_tensor* find(std::string_view name) const;

  const std::vector<stored_tensor>& tensors() const { return tensors_; }  // Sorted by name.

  // The files read, sorted; shards once each.
  const std::vector<std::filesystem::path>& files() const { return files_; }

  // Keeps the mapped files alive.
  const std::shared_ptr<const void>& storage() const { return storage_; }

 private:
  std::vector<stored_tensor> tensors_;
  std::vector<std::filesystem::path> files_;
  std::shared_ptr<const void> storage_;
};

}  // namespace weft::gpu
