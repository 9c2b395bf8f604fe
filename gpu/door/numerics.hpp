// What an engine's bits hang on: the sizes that its work is cut into and its instruction set.
#pragma once

#include <cstdint>

namespace weft::gpu {

inline constexpr std::int64_t page_tokens = 64;  // Tokens of a key-value page; also of a key block.
inline constexpr std::int64_t chunk_tokens =
    64;  // Tokens of a recurrence chunk; prompts are cut at multiples.

enum class instruction_set : std::uint8_t { automatic, sse2, avx2, avx512 };

// A block of keys inside one page; keys of a block are consecutive positions.
struct key_block {
  std::int32_t page = 0;
  std::int32_t offset = 0;  // First key inside the page.
  std::int32_t count = 0;
};

}  // namespace weft::gpu
