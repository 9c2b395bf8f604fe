#include "gpu/host/finite_floats.hpp"

#include <bit>

#include <emmintrin.h>

namespace weft::gpu {
namespace {

// NaN and infinity have all exponent bits set; adding the lowest of them then carries into the
// sign's place, which nothing else reaches.
constexpr std::uint32_t exponent = 0x7f800000U;
constexpr std::uint32_t lowest = 0x00800000U;

}  // namespace

bool all_finite(const float* values, std::int64_t count) {
  const __m128i mask = _mm_set1_epi32(static_cast<int>(exponent));
  const __m128i step = _mm_set1_epi32(static_cast<int>(lowest));
  const auto carries = [&](std::int64_t at) {
    const __m128i bits = _mm_castps_si128(_mm_loadu_ps(values + at));
    return _mm_add_epi32(_mm_and_si128(bits, mask), step);
  };
  // Four sums at once: one alone would wait for itself more than for the memory.
  __m128i seen[4] = {_mm_setzero_si128(), _mm_setzero_si128(), _mm_setzero_si128(),
                     _mm_setzero_si128()};
  std::int64_t i = 0;
  for (; i + 16 <= count; i += 16) {
    seen[0] = _mm_or_si128(seen[0], carries(i));
    seen[1] = _mm_or_si128(seen[1], carries(i + 4));
    seen[2] = _mm_or_si128(seen[2], carries(i + 8));
    seen[3] = _mm_or_si128(seen[3], carries(i + 12));
  }
  const __m128i all = _mm_or_si128(_mm_or_si128(seen[0], seen[1]), _mm_or_si128(seen[2], seen[3]));
  std::uint32_t rest = 0;
  for (; i < count; ++i) rest |= (std::bit_cast<std::uint32_t>(values[i]) & exponent) + lowest;
  return _mm_movemask_ps(_mm_castsi128_ps(all)) == 0 && (rest & 0x80000000U) == 0;
}

}  // namespace weft::gpu
