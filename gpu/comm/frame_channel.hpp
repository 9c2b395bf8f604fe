// Frames over a stream: one being received and one being sent at a time.
//
// Lifetime: whoever owns the channel must live until its handlers are called; a handler that holds
// the owner does that. Threads: the I/O thread only.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>

#include "gpu/comm/byte_stream.hpp"
#include "gpu/comm/frame.hpp"
#include "gpu/comm/refusal.hpp"

namespace weft::gpu::comm {

struct frame_arrival {
  std::optional<refusal> trouble;  // Then nothing else counts and the stream is of no more use.
  frame_header header;
  // Checked against its checksum, and empty for `ring_data`, whose bytes the owner checks.
  std::span<const std::byte> payload;
  bool damaged = false;  // The payload's checksum does not fit; the stream itself is in step.
};

class frame_channel {
 public:
  explicit frame_channel(stream_pointer stream) : stream_(std::move(stream)) {}

  byte_stream& stream() { return *stream_; }

  // `room` takes the payload and must live until then; a larger one is `malformed`.
  void receive(std::span<std::byte> room, std::function<void(const frame_arrival&)> then);

  // A frame with a small payload, of which a copy is kept. Requires: nothing is being sent;
  // payload.size() <= control_payload_bytes_max.
  void send(const frame_header& header, std::span<const std::byte> payload, byte_stream::done then);

  // A frame that is sealed already and lives until then. Requires: nothing is being sent.
  void send_sealed(std::span<const std::byte> frame, byte_stream::done then);

 private:
  void receive_payload(const frame_header& header, std::span<std::byte> room,
                       std::function<void(const frame_arrival&)> then);

  stream_pointer stream_;
  std::array<std::byte, frame_header_bytes> header_ = {};
  std::array<std::byte, frame_header_bytes + control_payload_bytes_max> control_ = {};
};

// What an error of a stream means for a transfer: `not_admitted` if TLS said no, else `lost`.
refusal stream_trouble(std::error_code error);

}  // namespace weft::gpu::comm
