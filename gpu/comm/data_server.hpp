// Serves what an offer board offers, over TCP and over a Unix domain socket, on one thread of its
// own.
//
// Threads: every member may be called from any thread but the server's own (so not from a source, a
// waker or `on_expired`). Lifetime: the board must outlive the server.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gpu/comm/data_server_options.hpp"
#include "gpu/comm/offer_board.hpp"
#include "gpu/comm/ticket.hpp"
#include "gpu/comm/transfer_counters.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

class data_server {
 public:
  // Listens at once. `rejected` for options that are wrong or not safe, `unavailable` for an
  // address or path that is taken.
  static result<std::unique_ptr<data_server>> make(data_server_options options, offer_board& board);

  // Closes every connection; pulls that run are cut off.
  ~data_server();

  // Of the TCP listener; 0 without one.
  std::uint16_t port() const;

  // A token that opens one unencrypted TCP connection, for `node`; the control channel carries it.
  result<transfer_ticket> issue_token(std::string node);

  // Orders a fault, as fault_hook.hpp says.
  status arm_fault(std::string_view text);

  const transfer_counters& counters() const;
  std::size_t connections() const;

 private:
  struct inside;
  explicit data_server(std::unique_ptr<inside> held);
  std::unique_ptr<inside> inside_;
};

}  // namespace weft::gpu::comm
