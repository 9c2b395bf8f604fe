// Which file of a sharded model holds which tensors: `model.safetensors.index.json`.
//
// The names are not believed: a shard is a plain file name in the model's own folder. Internal to
// gpu/checkpoint.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// File names, and the tensors that each is said to hold.
using shard_map = std::map<std::string, std::set<std::string>>;

// `rejected`, naming the tensor, for an index that is malformed, lists nothing, or names files
// outside the folder. `name` names the index in failures.
result<shard_map> parse_shard_map(std::string_view name, std::string_view text);

// The same from a file. `unavailable` if it is not there.
result<shard_map> read_shard_map(const std::filesystem::path& index_file);

}  // namespace weft::gpu
