// The safetensors format: eight bytes of header length, a JSON header, then the tensors' bytes.
//
// The header is not believed: lengths, shapes, offsets and sizes are checked against each other and
// against the file before a single span is made, so a stored_tensor is always safe to read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// The public implementation's own limit.
inline constexpr std::uint64_t safetensors_header_bytes_max = 100'000'000;

// One tensor as the file describes it. `bytes` points into the mapped file.
struct stored_tensor {
  std::string name;
  std::string file;                  // For failures.
  std::string type_name;             // As the header spells it: "BF16".
  std::optional<element_type> type;  // Absent, and size unchecked, where no engine here reads it.
  std::vector<std::int64_t> dims;
  std::span<const std::byte> bytes;
};

// All tensors of one file, sorted by name. `file` names it in failures; `bytes` is its whole
// content. `rejected` for a file that is cut short or contradicts itself.
result<std::vector<stored_tensor>> parse_safetensors(std::string_view file,
                                                     std::span<const std::byte> bytes);

// "[2, 3]", for failures.
std::string shown_shape(std::span<const std::int64_t> dims);

}  // namespace weft::gpu
