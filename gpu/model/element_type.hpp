// How a checkpoint writes a number.
//
// A file of its own, without the standard library's templates, since kernels include it.
#pragma once

#include <cstdint>

namespace weft::gpu {

enum class element_type : std::uint8_t { bfloat16, float16, float32 };

constexpr std::int64_t bytes_of(element_type type) { return type == element_type::float32 ? 4 : 2; }

}  // namespace weft::gpu
