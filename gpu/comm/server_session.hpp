// One connection on the sender's side: admits the peer, then serves its pulls one after another.
//
// At most one frame is under way, so a connection queues no more than `frame_payload_bytes_max`.
// Every wait has a deadline, except the wait for a layer, which ends with the offer's lease.
// Threads: the I/O thread only.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "gpu/comm/connection_tokens.hpp"
#include "gpu/comm/control_body.hpp"
#include "gpu/comm/data_server_options.hpp"
#include "gpu/comm/fault_hook.hpp"
#include "gpu/comm/frame_channel.hpp"
#include "gpu/comm/server_pull.hpp"
#include "gpu/comm/transfer_counters.hpp"

namespace weft::gpu::comm {

// What the sessions of a server share. Lifetime: longer than the sessions.
struct server_surroundings {
  io_thread& io;
  offer_board& board;
  connection_tokens& tokens;
  transfer_counters& counters;
  fault_hook& faults;
  const data_server_options& options;
};

class server_session : public std::enable_shared_from_this<server_session> {
 public:
  // `on_closed` is called once, when the connection is over.
  server_session(server_surroundings around, stream_pointer stream,
                 std::function<void()> on_closed);

  void start();
  // The peer said who it is, and that was believed.
  bool admitted() const { return admitted_; }
  bool closed() const { return closed_; }
  void close(refusal_reason reason);

 private:
  struct last_word {
    frame_header header;
    std::vector<std::byte> payload;
  };

  void hear();
  void on_frame(const frame_arrival& arrival);
  bool on_hello(std::span<const std::byte> payload);
  bool on_pull(const frame_header& header, std::span<const std::byte> payload);
  bool on_credit(const frame_header& header, std::span<const std::byte> payload);
  void on_idle();

  std::optional<refusal> begin_pull(const transfer_id& transfer, const pull_body& body);
  void end_pull(std::optional<refusal> why, std::uint32_t layers);
  void say(const transfer_id& transfer, std::optional<refusal> why, std::uint32_t layers);
  void watch_idle();

  void pump();
  void send_last_word();
  void send_next();
  void send_frame(const pull_step& step);
  void on_sent(std::error_code error, const pull_step& step);

  server_surroundings around_;
  frame_channel channel_;
  std::function<void()> on_closed_;
  io_timer idle_timer_, transfer_timer_, delay_timer_;
  std::string peer_;
  std::optional<server_pull> pull_;
  std::optional<last_word> last_word_;
  std::unordered_set<transfer_ticket, ticket_hash> used_;  // Each ticket once on a connection.
  std::size_t pulls_ = 0;
  bool admitted_ = false, writing_ = false, closed_ = false, parting_ = false;
  std::array<std::byte, control_payload_bytes_max> control_room_ = {};
  std::vector<std::byte> frame_room_;
};

}  // namespace weft::gpu::comm
