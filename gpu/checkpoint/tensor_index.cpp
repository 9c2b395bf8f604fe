#include "gpu/checkpoint/tensor_index.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string>

#include <nlohmann/json.hpp>

#include "gpu/checkpoint/json_file.hpp"
#include "gpu/checkpoint/mapped_file.hpp"

namespace weft::gpu {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

// Which tensors each shard is said to hold.
using shard_map = std::map<std::string, std::set<std::string>>;

bool stays_in_folder(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

result<shard_map> read_shard_map(const fs::path& index_path) {
  const result<json> index = read_json_file(index_path);
  if (!index) return index.error();
  const std::string name = index_path.string();
  if (!index->is_object() || !index->contains("weight_map") ||
      !index->at("weight_map").is_object()) {
    return rejected(name + " has no weight_map object");
  }
  shard_map shards;
  for (const auto& [tensor, shard] : index->at("weight_map").items()) {
    if (!shard.is_string()) {
      return rejected(name + ": weight_map gives no file name for tensor \"" + tensor + "\"");
    }
    const auto file = shard.get<std::string>();
    if (!stays_in_folder(file)) {
      return rejected(name + ": weight_map puts tensor \"" + tensor + "\" into " + shown(shard) +
                      ", which is not a plain file name in the model's folder");
    }
    shards[file].insert(tensor);
  }
  if (shards.empty()) return rejected(name + " lists no tensors");
  return shards;
}

}  // namespace

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
