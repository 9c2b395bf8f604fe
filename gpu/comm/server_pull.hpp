// One pull on the sender's side: which frame comes next. It knows no sockets.
//
// Layers go out in order as soon as the source has them, cut into frames of at most
// `frame_payload_bytes_max` and never more bytes than the receiver granted. Threads: one at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "gpu/comm/frame.hpp"
#include "gpu/comm/offer_board.hpp"
#include "gpu/comm/staging_ring.hpp"

namespace weft::gpu::comm {

struct server_pull_order {
  offer_claim claim;
  transfer_id transfer;
  std::uint32_t first_layer = 0;
  std::uint64_t credit_bytes = 0;
  std::uint64_t credit_bytes_max = 0;  // With a ring its size: what was granted must have room.
  std::optional<mapped_ring> ring;
};

enum class pull_move { send, wait_for_layer, wait_for_credit, end, refuse };

struct pull_step {
  pull_move move = pull_move::send;
  std::size_t frame_bytes = 0;    // send: what of `room` is to be written.
  std::size_t payload_bytes = 0;  // send: of the layer, in the frame or in the ring.
  bool first_of_layer = false;
  bool last_of_layer = false;
  std::uint32_t layers = 0;  // end: how many there are.
  refusal why;               // refuse.
};

class server_pull {
 public:
  explicit server_pull(server_pull_order order);

  const transfer_id& transfer() const { return order_.transfer; }

  // False if so much was never asked for: the receiver is out of its mind.
  [[nodiscard]] bool grant(std::uint64_t bytes);

  // The next step; a frame is sealed into `room` and counts as sent.
  // Requires: room.size() >= frame_header_bytes + frame_payload_bytes_max.
  pull_step next(std::span<std::byte> room);

  // For fault hooks: turns over a bit of the payload that `next` sealed last.
  void spoil(std::span<std::byte> room, const pull_step& step);

 private:
  std::optional<refusal> trouble(const layer_progress& progress) const;
  pull_step next_frame(std::span<std::byte> room);
  std::span<std::byte> payload_room(std::span<std::byte> room) const;

  server_pull_order order_;
  std::uint32_t layer_;
  std::uint64_t offset_ = 0;
  std::uint64_t passed_ = 0;  // Payload bytes so far: the place in the ring.
};

}  // namespace weft::gpu::comm
