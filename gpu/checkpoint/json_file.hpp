// JSON documents of a model folder, parsed with distrust: a size limit, no exceptions outside, and
// failures that name the file and the byte. Internal to gpu/checkpoint.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// Far above any config or shard index; below what would hurt to parse by mistake.
inline constexpr std::int64_t json_file_bytes_max = std::int64_t{64} << 20;

// Parses `text`; `name` is the culprit's name in failures. A key given twice in one object is
// refused: readers would disagree about which one counts.
result<nlohmann::json> parse_json(std::string_view name, std::string_view text);

// `unavailable` if the file is not there, `rejected` if it is too large or not JSON.
result<nlohmann::json> read_json_file(const std::filesystem::path& path);

// `value` as it would stand in the file, shortened, for failures.
std::string shown(const nlohmann::json& value);

}  // namespace weft::gpu
