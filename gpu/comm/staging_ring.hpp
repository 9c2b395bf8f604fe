// Memory that a receiver owns and a sender of the same host writes into: a memfd of a sealed size.
//
// The receiver makes it (`staging_ring`), passes the file, and may drop its own part at any moment;
// the sender's mapping (`mapped_ring`) then still is valid memory, which nobody reads. Neither side
// keeps anything but payload in it, so there are no indices to be believed: each counts for itself
// how many bytes went through, and place = count % size.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "gpu/comm/descriptor.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

// A mapping that goes with its owner.
class mapped_bytes {
 public:
  mapped_bytes() = default;
  mapped_bytes(void* start, std::size_t size) : start_(start), size_(size) {}
  mapped_bytes(mapped_bytes&& other) noexcept;
  mapped_bytes& operator=(mapped_bytes&& other) noexcept;
  ~mapped_bytes() { unmap(); }

  explicit operator bool() const { return start_ != nullptr; }
  std::size_t size() const { return size_; }
  std::span<std::byte> bytes() const { return {static_cast<std::byte*>(start_), size_}; }

 private:
  void unmap();
  void* start_ = nullptr;
  std::size_t size_ = 0;
};

// The receiver's side.
class staging_ring {
 public:
  // Memory is set aside at once, so that a full machine is an `overloaded` here and not a fault
  // when the sender writes. Requires: bytes > 0.
  static result<staging_ring> make(std::size_t bytes);

  int file() const { return file_.number(); }
  std::size_t size() const { return memory_.size(); }

  // The bytes after `passed` bytes went through. Nothing if they do not lie in one piece.
  std::span<const std::byte> at(std::uint64_t passed, std::size_t count) const;

 private:
  staging_ring(descriptor file, mapped_bytes memory)
      : file_(std::move(file)), memory_(std::move(memory)) {}
  descriptor file_;
  mapped_bytes memory_;
};

// The sender's side.
class mapped_ring {
 public:
  // `rejected` unless `file` is a memfd of exactly `bytes`, all of it there and sealed against
  // shrinking: else a receiver could make the sender fault.
  static result<mapped_ring> map(descriptor file, std::size_t bytes);

  // Room after `passed` bytes went through, up to the ring's end: pieces never wrap.
  std::span<std::byte> at(std::uint64_t passed) const;

 private:
  explicit mapped_ring(mapped_bytes memory) : memory_(std::move(memory)) {}
  mapped_bytes memory_;
};

}  // namespace weft::gpu::comm
