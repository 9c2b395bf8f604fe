// A secret of 256 random bits: whoever shows it may do the one thing that it was made for, pull an
// offer or open one unencrypted connection. It travels by the control channel as hexadecimal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

class ticket {
 public:
  static constexpr std::size_t bytes_count = 32;

  // All zeros, which no draw gives: the ticket of nothing.
  ticket() = default;

  // From the operating system's random numbers. `broken` when it has none.
  static result<ticket> draw();

  // 64 hexadecimal digits of either case, or nothing.
  static std::optional<ticket> from_hex(std::string_view text);
  static ticket from_bytes(std::span<const std::byte, bytes_count> bytes);

  std::string hex() const;  // Lower case.
  std::span<const std::byte, bytes_count> bytes() const { return bytes_; }

  // In a time that does not hang on the bits, so that answers cannot be felt out byte by byte.
  bool operator==(const ticket& other) const;

  // For hash tables: `salt` is the table's own secret, so that nobody can aim at a bucket.
  std::size_t hash(std::uint64_t salt) const;

 private:
  std::array<std::byte, bytes_count> bytes_ = {};
};

// The hasher of a table keyed by tickets, with a salt drawn for that table.
struct ticket_hash {
  ticket_hash();
  std::size_t operator()(const ticket& key) const { return key.hash(salt); }
  std::uint64_t salt = 0;
};

}  // namespace weft::gpu::comm
