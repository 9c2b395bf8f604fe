#include "gpu/checkpoint/shard_map.hpp"

#include <nlohmann/json.hpp>

#include "gpu/checkpoint/json_file.hpp"

namespace weft::gpu {
namespace {

using nlohmann::json;

bool stays_in_folder(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name.find('\0') == std::string::npos;
}

result<shard_map> map_of(const std::string& name, const json& index) {
  if (!index.is_object() || !index.contains("weight_map") || !index.at("weight_map").is_object()) {
    return rejected(name + " has no weight_map object");
  }
  shard_map shards;
  for (const auto& [tensor, shard] : index.at("weight_map").items()) {
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

result<shard_map> parse_shard_map(std::string_view name, std::string_view text) {
  const result<json> index = parse_json(name, text);
  if (!index) return index.error();
  return map_of(std::string(name), *index);
}

result<shard_map> read_shard_map(const std::filesystem::path& index_file) {
  const result<json> index = read_json_file(index_file);
  if (!index) return index.error();
  return map_of(index_file.string(), *index);
}

}  // namespace weft::gpu
