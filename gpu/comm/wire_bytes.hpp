// Numbers as little-endian bytes, at a place that moves on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu::comm {

class wire_writer {
 public:
  explicit wire_writer(std::span<std::byte> room) : room_(room) {}

  template <class Number>
  void put(Number number) {
    static_assert(std::is_unsigned_v<Number>);
    WEFT_ASSERT(used_ + sizeof(Number) <= room_.size());
    for (std::size_t index = 0; index < sizeof(Number); ++index)
      room_[used_++] = static_cast<std::byte>(number >> (8 * index) & 0xFFu);
  }
  void put_bytes(std::span<const std::byte> bytes) {
    WEFT_ASSERT(used_ + bytes.size() <= room_.size());
    std::copy(bytes.begin(), bytes.end(), room_.begin() + static_cast<std::ptrdiff_t>(used_));
    used_ += bytes.size();
  }
  std::size_t used() const { return used_; }

 private:
  std::span<std::byte> room_;
  std::size_t used_ = 0;
};

// Requires of each call: so many bytes are left.
class wire_reader {
 public:
  explicit wire_reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  template <class Number>
  Number get() {
    static_assert(std::is_unsigned_v<Number>);
    WEFT_ASSERT(sizeof(Number) <= bytes_.size());
    std::uint64_t number = 0;
    for (std::size_t index = 0; index < sizeof(Number); ++index)
      number |= std::to_integer<std::uint64_t>(bytes_[index]) << (8 * index);
    bytes_ = bytes_.subspan(sizeof(Number));
    return static_cast<Number>(number);
  }
  std::span<const std::byte> get_bytes(std::size_t count) {
    WEFT_ASSERT(count <= bytes_.size());
    const auto part = bytes_.first(count);
    bytes_ = bytes_.subspan(count);
    return part;
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

}  // namespace weft::gpu::comm
