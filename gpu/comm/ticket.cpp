#include "gpu/comm/ticket.hpp"

#include <algorithm>
#include <cstring>
#include <random>

#include <openssl/crypto.h>
#include <openssl/rand.h>

namespace weft::gpu::comm {
namespace {

std::optional<unsigned> digit_of(char letter) {
  if (letter >= '0' && letter <= '9') return static_cast<unsigned>(letter - '0');
  if (letter >= 'a' && letter <= 'f') return static_cast<unsigned>(letter - 'a') + 10;
  if (letter >= 'A' && letter <= 'F') return static_cast<unsigned>(letter - 'A') + 10;
  return std::nullopt;
}

}  // namespace

result<ticket> ticket::draw() {
  ticket drawn;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(drawn.bytes_.data()), bytes_count) != 1)
    return broken("the system has no random numbers to make a ticket of");
  return drawn;
}

std::optional<ticket> ticket::from_hex(std::string_view text) {
  if (text.size() != 2 * bytes_count) return std::nullopt;
  ticket read;
  for (std::size_t index = 0; index < bytes_count; ++index) {
    const auto high = digit_of(text[2 * index]);
    const auto low = digit_of(text[2 * index + 1]);
    if (!high || !low) return std::nullopt;
    read.bytes_[index] = static_cast<std::byte>(*high << 4 | *low);
  }
  return read;
}

ticket ticket::from_bytes(std::span<const std::byte, bytes_count> bytes) {
  ticket read;
  std::copy(bytes.begin(), bytes.end(), read.bytes_.begin());
  return read;
}

std::string ticket::hex() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes_count);
  for (const std::byte part : bytes_) {
    text += digits[std::to_integer<std::size_t>(part >> 4)];
    text += digits[std::to_integer<std::size_t>(part & std::byte{15})];
  }
  return text;
}

bool ticket::operator==(const ticket& other) const {
  return CRYPTO_memcmp(bytes_.data(), other.bytes_.data(), bytes_count) == 0;
}

std::size_t ticket::hash(std::uint64_t salt) const {
  std::uint64_t mixed = salt;
  for (std::size_t word = 0; word < bytes_count / 8; ++word) {
    std::uint64_t part = 0;
    std::memcpy(&part, bytes_.data() + 8 * word, sizeof part);
    // The finalizer of splitmix64: every bit of the part moves every bit of the sum.
    mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::size_t>(mixed);
}

ticket_hash::ticket_hash() {
  std::random_device device;
  salt = (std::uint64_t{device()} << 32) | device();
}

}  // namespace weft::gpu::comm
