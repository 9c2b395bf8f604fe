#include "gpu/comm/checksum.hpp"

#include <random>
#include <string_view>
#include <vector>

#include <catch2/catch.hpp>

namespace weft::gpu::comm {

TEST_CASE("checksums are those of RFC 3720", "[gpu][comm][checksum]") {
  const std::vector<std::byte> zeros(32), ones(32, std::byte{0xFF});
  CHECK(checksum(zeros) == 0x8A9136AAu);
  CHECK(checksum(ones) == 0x62A8AB43u);
  CHECK(checksum(std::as_bytes(std::span(std::string_view("123456789")))) == 0xE3069283u);
  CHECK(checksum({}) == 0);
}

TEST_CASE("instruction, table and parts in turn give one checksum", "[gpu][comm][checksum]") {
  std::mt19937 random(5);
  for (std::size_t size = 0; size < 70; ++size) {
    std::vector<std::byte> bytes(size);
    for (auto& each : bytes) each = static_cast<std::byte>(random());
    const auto whole = std::span<const std::byte>(bytes);
    CHECK(checksum(whole) == checksum_by_table(whole));
    const auto cut = size / 3;
    CHECK(checksum(whole.subspan(cut), checksum(whole.first(cut))) == checksum(whole));
  }
}

}  // namespace weft::gpu::comm
