// One pull on the receiver's side, on a connection of its own.
//
// The sink hears exactly one end. After that the connection may linger: a sender that was told to
// stop still has bytes on the way, and until it says that it has stopped, or the connection is
// over, the staging counts as quarantined and what comes counts as late. Threads: the I/O thread
// only.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/comm/arrival_order.hpp"
#include "gpu/comm/control_body.hpp"
#include "gpu/comm/data_client_options.hpp"
#include "gpu/comm/frame_channel.hpp"
#include "gpu/comm/layer_sink.hpp"
#include "gpu/comm/staging_account.hpp"
#include "gpu/comm/staging_ring.hpp"
#include "gpu/comm/transfer_counters.hpp"

namespace weft::gpu::comm {

// What the pulls of a client share. Lifetime: longer than the sessions.
struct client_surroundings {
  io_thread& io;
  transfer_counters& counters;
  const data_client_options& options;
};

class pull_session : public std::enable_shared_from_this<pull_session> {
 public:
  // `ring` for a pull by shared memory. `on_closed` is called once, when nothing is left of it.
  pull_session(client_surroundings around, pull_order order, std::shared_ptr<layer_sink> sink,
               staging_lease lease, std::optional<staging_ring> ring,
               std::function<void()> on_closed);

  void start();
  void resume();
  // Ends for the sink now; the connection lingers.
  void give_up(refusal why);
  // Ends for the sink and the connection.
  void close(refusal why);

 private:
  void on_connected(std::error_code error);
  void on_hands_shaken(std::error_code error);
  void send_hello();
  void send_pull();

  void hear();
  void on_frame(const frame_arrival& arrival);
  void on_bytes(const frame_header& header, std::span<const std::byte> payload);
  void drop(const frame_header& header);

  void pump();
  void on_sent(std::error_code error);
  void end(std::optional<refusal> why);
  void finish();

  client_surroundings around_;
  pull_order order_;
  std::shared_ptr<layer_sink> sink_;  // Gone once it has heard the end.
  staging_lease lease_;
  std::optional<staging_ring> ring_;
  std::function<void()> on_closed_;
  std::optional<frame_channel> channel_;
  arrival_order expected_;
  io_timer deadline_timer_, admission_timer_, linger_timer_;
  std::vector<std::byte> room_;
  std::uint64_t passed_ = 0;    // Payload bytes so far: the place in the ring.
  std::uint64_t consumed_ = 0;  // Taken by the sink and not granted again yet.
  bool asked_ = false;          // The pull is sent.
  bool hearing_ = false, writing_ = false, paused_ = false;
  bool cancel_due_ = false, closed_ = false;
};

}  // namespace weft::gpu::comm
