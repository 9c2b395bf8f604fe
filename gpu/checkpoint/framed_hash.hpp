// SHA-256 over parts that are framed by their lengths. Internal to gpu/checkpoint.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace weft::gpu {

class framed_hash {
 public:
  framed_hash();

  // A part: its length in eight bytes, lowest first, then itself.
  void add(std::span<const std::byte> part);
  void add(std::string_view part);
  void add_number(std::uint64_t number);  // Eight bytes, lowest first; no frame.
  // The next bytes of a part that comes in pieces, behind its length as a number.
  void add_piece(std::span<const std::byte> piece);

  // Lower-case hexadecimal of everything added. Call once, last.
  std::string finish();

 private:
  struct release {
    void operator()(void* context) const;
  };
  std::unique_ptr<void, release> context_;  // The library's; its type stays out of this header.
};

}  // namespace weft::gpu
