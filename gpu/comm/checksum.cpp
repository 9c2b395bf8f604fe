#include "gpu/comm/checksum.hpp"

#include <array>
#include <cstring>

#include <nmmintrin.h>

namespace weft::gpu::comm {
namespace {

constexpr std::uint32_t polynomial = 0x82F63B78u;  // Castagnoli's, bits reversed.

constexpr std::array<std::uint32_t, 256> make_table() {
  std::array<std::uint32_t, 256> table = {};
  for (std::uint32_t index = 0; index < 256; ++index) {
    std::uint32_t rest = index;
    for (int bit = 0; bit < 8; ++bit) rest = (rest >> 1) ^ ((rest & 1) != 0 ? polynomial : 0);
    table[index] = rest;
  }
  return table;
}

constexpr auto table = make_table();

__attribute__((target("sse4.2"))) std::uint32_t checksum_by_instruction(
    std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint64_t rest = static_cast<std::uint32_t>(~before);
  const std::byte* place = bytes.data();
  std::size_t left = bytes.size();
  for (; left >= 8; left -= 8, place += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, place, sizeof word);
    rest = _mm_crc32_u64(rest, word);
  }
  auto narrow = static_cast<std::uint32_t>(rest);
  for (; left > 0; --left, ++place)
    narrow = _mm_crc32_u8(narrow, std::to_integer<unsigned char>(*place));
  return ~narrow;
}

}  // namespace

std::uint32_t checksum(std::span<const std::byte> bytes, std::uint32_t before) {
  static const bool has_instruction = __builtin_cpu_supports("sse4.2") != 0;
  return has_instruction ? checksum_by_instruction(bytes, before)
                         : checksum_by_table(bytes, before);
}

std::uint32_t checksum_by_table(std::span<const std::byte> bytes, std::uint32_t before) {
  std::uint32_t rest = ~before;
  for (const std::byte part : bytes)
    rest = (rest >> 8) ^ table[(rest ^ std::to_integer<std::uint32_t>(part)) & 255u];
  return ~rest;
}

}  // namespace weft::gpu::comm
