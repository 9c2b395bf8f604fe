#include "gpu/comm/frame_channel.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace weft::gpu::comm {
namespace {

frame_arrival in_trouble(refusal why) {
  frame_arrival arrival;
  arrival.trouble = std::move(why);
  return arrival;
}

}  // namespace

void frame_channel::receive(std::span<std::byte> room,
                            std::function<void(const frame_arrival&)> then) {
  stream_->read(header_, [this, room, then = std::move(then)](std::error_code error) {
    if (error) return then(in_trouble(stream_trouble(error)));
    const auto header = parse_header(header_);
    if (!header)
      return then(
          in_trouble({refusal_reason::malformed, "what came is no frame of this protocol"}));
    receive_payload(*header, room, then);
  });
}

void frame_channel::receive_payload(const frame_header& header, std::span<std::byte> room,
                                    std::function<void(const frame_arrival&)> then) {
  frame_arrival arrival;
  arrival.header = header;
  if (header.kind == frame_kind::ring_data) return then(arrival);
  if (header.payload_bytes > room.size())
    return then(in_trouble({refusal_reason::malformed, "a frame came that is too large here"}));
  const auto payload = room.first(header.payload_bytes);
  const auto check = [arrival, payload, then = std::move(then)](std::error_code error) mutable {
    if (error) return then(in_trouble(stream_trouble(error)));
    arrival.damaged = !payload_intact(arrival.header, payload);
    arrival.payload = payload;
    then(arrival);
  };
  if (payload.empty()) {
    auto at_once = check;
    return at_once({});
  }
  stream_->read(payload, check);
}

void frame_channel::send(const frame_header& header, std::span<const std::byte> payload,
                         byte_stream::done then) {
  WEFT_ASSERT(payload.size() <= control_payload_bytes_max);
  const auto whole = std::span(control_);
  seal_frame(header, payload, whole.first<frame_header_bytes>());
  std::copy(payload.begin(), payload.end(), whole.begin() + frame_header_bytes);
  send_sealed(whole.first(frame_header_bytes + payload.size()), std::move(then));
}

void frame_channel::send_sealed(std::span<const std::byte> frame, byte_stream::done then) {
  stream_->write(frame, std::move(then));
}

refusal stream_trouble(std::error_code error) {
  const bool refused = std::string_view(error.category().name()) == "asio.ssl";
  return {refused ? refusal_reason::not_admitted : refusal_reason::lost,
          "the connection ended: " + error.message()};
}

}  // namespace weft::gpu::comm
