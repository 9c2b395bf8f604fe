#include "gpu/comm/frame.hpp"

#include <array>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "gpu/comm/checksum.hpp"

namespace weft::gpu::comm {
namespace {

using header_bytes = std::array<std::byte, frame_header_bytes>;

frame_header sample() {
  frame_header header;
  header.transfer = {{{0x1122334455667788u}, 2}, 3, {4}};
  header.layer = 5;
  header.offset = 6;
  header.layer_bytes = 9;
  return header;
}

header_bytes sealed(const frame_header& header, std::span<const std::byte> payload) {
  header_bytes bytes = {};
  seal_frame(header, payload, bytes);
  return bytes;
}

// Writes a byte and makes the header's own checksum fit again.
header_bytes with_byte(header_bytes bytes, std::size_t place, unsigned value) {
  bytes[place] = static_cast<std::byte>(value);
  const auto sum = checksum(std::span<const std::byte>(bytes).first(60));
  for (std::size_t index = 0; index < 4; ++index)
    bytes[60 + index] = static_cast<std::byte>(sum >> (8 * index));
  return bytes;
}

}  // namespace

TEST_CASE("a header survives the wire", "[gpu][comm][frame]") {
  const std::array<std::byte, 3> payload = {std::byte{1}, std::byte{2}, std::byte{3}};
  const auto bytes = sealed(sample(), payload);
  CHECK(bytes[0] == std::byte{'W'});
  CHECK(bytes[8] == std::byte{0x88});
  const auto read = parse_header(bytes);
  REQUIRE(read);
  CHECK(read->kind == frame_kind::data);
  CHECK(read->transfer == sample().transfer);
  CHECK(read->layer == 5);
  CHECK(read->offset == 6);
  CHECK(read->layer_bytes == 9);
  CHECK(read->payload_bytes == 3);
  CHECK(payload_intact(*read, payload));
}

TEST_CASE("any flipped bit of header or payload is found", "[gpu][comm][frame]") {
  std::array<std::byte, 3> payload = {std::byte{1}, std::byte{2}, std::byte{3}};
  auto bytes = sealed(sample(), payload);
  const auto read = *parse_header(bytes);
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    bytes[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    CHECK_FALSE(parse_header(bytes));
    bytes[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
  }
  for (std::size_t bit = 0; bit < 8 * payload.size(); ++bit) {
    payload[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
    CHECK_FALSE(payload_intact(read, payload));
    payload[bit / 8] ^= static_cast<std::byte>(1u << bit % 8);
  }
}

TEST_CASE("a header of another protocol, version or kind, or out of bounds, is none",
          "[gpu][comm][frame]") {
  const std::array<std::byte, 3> payload = {};
  const auto good = sealed(sample(), payload);
  REQUIRE(parse_header(with_byte(good, 5, 16)));
  CHECK_FALSE(parse_header(with_byte(good, 0, 'X')));
  CHECK_FALSE(parse_header(with_byte(good, 4, 2)));
  CHECK_FALSE(parse_header(with_byte(good, 5, 5)));
  CHECK_FALSE(parse_header(with_byte(good, 6, 1)));
  CHECK_FALSE(parse_header(with_byte(good, 36, 4)));    // Payload past the layer's end.
  CHECK_FALSE(parse_header(with_byte(good, 39, 255)));  // Payload larger than any.
  CHECK_FALSE(parse_header(with_byte(good, 47, 255)));  // Offset past the layer's end.
  CHECK_FALSE(parse_header(with_byte(with_byte(good, 5, 4), 37, 5)));  // A large cancel.
}

TEST_CASE("random bytes are no header", "[gpu][comm][frame]") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 10'000; ++round) {
    auto bytes = sealed(sample(), {});
    for (int change = 0; change < 3; ++change)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    if (bytes != sealed(sample(), {})) CHECK_FALSE(parse_header(bytes));
  }
}

}  // namespace weft::gpu::comm
