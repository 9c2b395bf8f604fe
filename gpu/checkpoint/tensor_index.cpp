#include "gpu/checkpoint/tensor_index.hpp"

#include <algorithm>
#include <string>

#include "gpu/checkpoint/mapped_file.hpp"
#include "gpu/checkpoint/shard_map.hpp"

namespace weft::gpu {

namespace fs = std::filesystem;

result<tensor_index> tensor_index::open(const fs::path& folder) {
  const fs::path single = folder / "model.safetensors";
  const fs::path index_path = folder / "model.safetensors.index.json";
  std::error_code ignored;
  const bool sharded = !fs::exists(single, ignored);
  if (sharded && !fs::exists(index_path, ignored)) {
    return unavailable("no model.safetensors and no model.safetensors.index.json in " +
                       folder.string());
  }
  shard_map shards;
  if (sharded) {
    result<shard_map> listed = read_shard_map(index_path);
    if (!listed) return listed.error();
    shards = std::move(listed).value();
  } else {
    shards["model.safetensors"] = {};
  }

  tensor_index index;
  auto mappings = std::make_shared<std::vector<mapped_file>>();
  for (auto& [name, listed] : shards) {
    const fs::path path = folder / name;
    result<mapped_file> file = mapped_file::open(path);
    if (!file) return file.error();
    mappings->push_back(std::move(file).value());
    result<std::vector<stored_tensor>> tensors =
        parse_safetensors(path.string(), mappings->back().bytes());
    if (!tensors) return tensors.error();
    for (stored_tensor& tensor : *tensors) {
      // What the index does not mention is not part of the model.
      if (sharded && listed.erase(tensor.name) == 0) continue;
      index.tensors_.push_back(std::move(tensor));
    }
    if (!listed.empty()) {
      return rejected(index_path.string() + " puts tensor \"" + *listed.begin() + "\" into " +
                      name + ", which does not have it");
    }
    index.files_.push_back(path);
  }
  std::sort(index.tensors_.begin(), index.tensors_.end(),
            [](const stored_tensor& a, const stored_tensor& b) { return a.name < b.name; });
  index.storage_ = std::move(mappings);
  return index;
}

const stored_tensor* tensor_index::find(std::string_view name) const {
  const auto found = std::lower_bound(
      tensors_.begin(), tensors_.end(), name,
      [](const stored_tensor& tensor, std::string_view wanted) { return tensor.name < wanted; });
  return found != tensors_.end() && found->name == name ? &*found : nullptr;
}

}  // namespace weft::gpu
