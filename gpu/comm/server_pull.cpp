#include "gpu/comm/server_pull.hpp"

#include <algorithm>
#include <utility>

namespace weft::gpu::comm {

server_pull::server_pull(server_pull_order order)
    : order_(std::move(order)), layer_(order_.first_layer) {}

bool server_pull::grant(std::uint64_t bytes) {
  if (bytes == 0 || bytes > order_.credit_bytes_max - order_.credit_bytes) return false;
  order_.credit_bytes += bytes;
  return true;
}

std::optional<refusal> server_pull::trouble(const layer_progress& progress) const {
  if (auto ended = order_.claim.ended()) return ended;
  if (progress.failed) return refusal{refusal_reason::failed, *progress.failed};
  return std::nullopt;
}

pull_step server_pull::next(std::span<std::byte> room) {
  WEFT_ASSERT(room.size() >= frame_header_bytes + frame_payload_bytes_max);
  const auto& source = order_.claim.source();
  const auto progress = source.progress();
  pull_step step;
  if (auto why = trouble(progress)) {
    step.move = pull_move::refuse;
    step.why = std::move(*why);
  } else if (layer_ >= source.layers()) {
    step.move = pull_move::end;
    step.layers = source.layers();
  } else if (layer_ >= progress.ready) {
    step.move = pull_move::wait_for_layer;
  } else if (order_.credit_bytes == 0 && source.layer_bytes(layer_) > 0) {
    step.move = pull_move::wait_for_credit;
  } else {
    step = next_frame(room);
  }
  return step;
}

std::span<std::byte> server_pull::payload_room(std::span<std::byte> room) const {
  if (order_.ring) return order_.ring->at(passed_);
  return room.subspan(frame_header_bytes);
}

pull_step server_pull::next_frame(std::span<std::byte> room) {
  const auto& source = order_.claim.source();
  const std::uint64_t layer_bytes = source.layer_bytes(layer_);
  auto payload = payload_room(room);
  payload = payload.first(std::min<std::uint64_t>(
      {payload.size(), frame_payload_bytes_max, order_.credit_bytes, layer_bytes - offset_}));
  source.copy(layer_, offset_, payload);

  frame_header header;
  header.kind = order_.ring ? frame_kind::ring_data : frame_kind::data;
  header.transfer = order_.transfer;
  header.layer = layer_;
  header.offset = offset_;
  header.layer_bytes = layer_bytes;
  seal_frame(header, payload, room.first<frame_header_bytes>());

  pull_step step;
  step.payload_bytes = payload.size();
  step.frame_bytes = frame_header_bytes + (order_.ring ? 0 : payload.size());
  step.first_of_layer = offset_ == 0;
  offset_ += payload.size();
  passed_ += payload.size();
  order_.credit_bytes -= payload.size();
  step.last_of_layer = offset_ == layer_bytes;
  if (step.last_of_layer) {
    ++layer_;
    offset_ = 0;
  }
  return step;
}

void server_pull::spoil(std::span<std::byte> room, const pull_step& step) {
  if (step.payload_bytes == 0) return;
  const std::uint64_t before = passed_ - step.payload_bytes;
  auto payload = order_.ring ? order_.ring->at(before) : room.subspan(frame_header_bytes);
  payload[step.payload_bytes / 2] ^= std::byte{1};
}

}  // namespace weft::gpu::comm
