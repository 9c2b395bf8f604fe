// The frame of the data channel: a header of 64 bytes, then its payload.
//
// Numbers are little-endian. Two checksums: the payload's, and the header's, which covers the
// payload's; so a damaged length is noticed before anybody waits for bytes that will not come.
//
//   0 magic u32 | 4 version u8 | 5 kind u8 | 6 zero u16 | 8 gateway u64 | 16 number u64 |
//   24 segment u32 | 28 generation u32 | 32 layer u32 | 36 payload bytes u32 | 40 offset u64 |
//   48 layer bytes u64 | 56 payload checksum u32 | 60 checksum of bytes 0 to 59 u32
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gpu/comm/transfer_id.hpp"

namespace weft::gpu::comm {

// Numbers are on the wire: they never move.
enum class frame_kind : std::uint8_t {
  hello = 1,   // receiver: who I am, where no certificate says it; first, once
  pull = 2,    // receiver: I want the offer of this ticket
  credit = 3,  // receiver: so many bytes more may be sent
  cancel = 4,  // receiver: stop; answered by a refusal
  data = 16,   // sender: bytes of a layer
  ring_data =
      17,    // sender: the same, but the bytes lie in the receiver's ring, not behind the header
  end = 18,  // sender: that was all; `layer` says how many layers there are
  refusal = 19,  // sender: no, or no more, and why
};

struct frame_header {
  frame_kind kind = frame_kind::data;
  transfer_id transfer;
  std::uint32_t layer = 0;
  std::uint32_t payload_bytes = 0;
  std::uint64_t offset = 0;  // Of the payload in its layer.
  std::uint64_t layer_bytes = 0;
  std::uint32_t payload_checksum = 0;
};

inline constexpr std::uint32_t frame_magic = 0x44544657u;  // "WFTD"
inline constexpr std::uint8_t frame_version = 1;
inline constexpr std::size_t frame_header_bytes = 64;
// Large enough that a system call costs nothing beside the copy, small enough that a frame does not
// hold up other transfers of the process and that staging per transfer stays small.
inline constexpr std::size_t frame_payload_bytes_max = 256 * 1024;
// Frames other than data: the largest is a refusal with its sentence.
inline constexpr std::size_t control_payload_bytes_max = 1024;

// Writes `header` for `payload` (its length and checksum are taken from there).
void seal_frame(frame_header header, std::span<const std::byte> payload,
                std::span<std::byte, frame_header_bytes> into);

// The header, or nothing unless magic, version, kind, bounds and checksum are right.
std::optional<frame_header> parse_header(std::span<const std::byte, frame_header_bytes> bytes);

bool payload_intact(const frame_header& header, std::span<const std::byte> payload);

}  // namespace weft::gpu::comm
