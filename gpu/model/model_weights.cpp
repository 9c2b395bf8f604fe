#include "gpu/model/model_weights.hpp"

#include <bit>
#include <cstring>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {
namespace {

float from_bfloat16(std::uint16_t bits) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16);
}

float from_float16(std::uint16_t bits) {
  const std::uint32_t sign = static_cast<std::uint32_t>(bits & 0x8000u) << 16;
  const std::uint32_t exponent = (bits >> 10) & 0x1fu;
  const std::uint32_t fraction = bits & 0x3ffu;
  if (exponent == 0x1f) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent == 0) {
    // Subnormal: fraction * 2^-24, exact in float32.
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
}

}  // namespace

std::int64_t tensor_view::elements() const {
  std::int64_t count = 1;
  for (const std::int64_t dim : dims) count *= dim;
  return count;
}

void to_float32(const tensor_view& from, std::int64_t first, std::span<float> out) {
  const auto count = static_cast<std::int64_t>(out.size());
  WEFT_ASSERT(first >= 0 && first + count <= from.elements());
  const std::byte* source = from.bytes.data() + first * bytes_of(from.type);
  if (from.type == element_type::float32) {
    std::memcpy(out.data(), source, out.size_bytes());
    return;
  }
  for (std::int64_t i = 0; i < count; ++i) {
    std::uint16_t bits = 0;
    std::memcpy(&bits, source + 2 * i, 2);  // Tensors in a file need not be aligned.
    out[static_cast<std::size_t>(i)] =
        from.type == element_type::bfloat16 ? from_bfloat16(bits) : from_float16(bits);
  }
}

}  // namespace weft::gpu
