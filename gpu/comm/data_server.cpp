#include "gpu/comm/data_server.hpp"

#include <atomic>
#include <list>
#include <utility>

#include "gpu/comm/network_list.hpp"
#include "gpu/comm/server_session.hpp"
#include "gpu/comm/stream_listener.hpp"

namespace weft::gpu::comm {
namespace {

status check_encryption(const data_server_options& options) {
  if (options.address.empty()) return {};
  if (options.encrypt) {
    if (options.identity != nullptr) return {};
    return rejected(
        "the data channel on " + options.address +
        " has no certificate; set [tls], or switch encryption off for a trusted network");
  }
  const auto networks = network_list::make(options.open_networks);
  if (!networks) return networks.error();
  if (!networks->contains(options.address))
    return rejected("the data channel may not go unencrypted on " + options.address +
                    "; it is neither a loopback address nor in a network named as open");
  return {};
}

}  // namespace

struct data_server::inside {
  inside(data_server_options chosen, offer_board& offers)
      : options(std::move(chosen)),
        board(offers),
        tokens(options.limits.tokens_max, options.limits.token_lifetime),
        sweep(io) {}

  using sessions_list = std::list<std::shared_ptr<server_session>>;

  status listen();
  void arrive(stream_pointer stream);
  void make_room_for_stranger();
  void sweep_on();
  void close_all();

  data_server_options options;
  offer_board& board;
  connection_tokens tokens;
  transfer_counters counters;
  fault_hook faults;
  std::atomic<std::size_t> connections = 0;
  io_thread io;  // Before all that lives on it.
  io_timer sweep;
  std::unique_ptr<stream_listener> tcp, local;
  sessions_list sessions;  // Oldest first.
};

status data_server::inside::listen() {
  const auto then = [this](stream_pointer stream) { arrive(std::move(stream)); };
  if (!options.address.empty()) {
    auto identity = options.encrypt ? options.identity : nullptr;
    auto made = stream_listener::tcp(io, options.address, options.port, std::move(identity), then);
    if (!made) return made.error();
    tcp = std::move(*made);
  }
  if (!options.local_path.empty()) {
    auto made = stream_listener::local(io, options.local_path, then);
    if (!made) return made.error();
    local = std::move(*made);
  }
  io.post([this] { sweep_on(); });
  return {};
}

void data_server::inside::arrive(stream_pointer stream) {
  if (sessions.size() >= options.limits.connections_max) {
    counters.count_refused(refusal_reason::busy);
    return stream->close();
  }
  make_room_for_stranger();
  const auto place = sessions.emplace(sessions.end());
  // Not taken out on the spot: the session may be in the middle of its own work.
  const auto on_closed = [this, place] {
    io.post([this, place] {
      sessions.erase(place);
      --connections;
    });
  };
  *place = std::make_shared<server_session>(
      server_surroundings{io, board, tokens, counters, faults, options}, std::move(stream),
      on_closed);
  ++connections;
  (*place)->start();
}

void data_server::inside::make_room_for_stranger() {
  std::size_t strangers = 0;
  server_session* oldest = nullptr;
  for (const auto& session : sessions) {
    if (session->admitted() || session->closed()) continue;
    if (oldest == nullptr) oldest = session.get();
    ++strangers;
  }
  if (strangers >= options.limits.strangers_max) oldest->close(refusal_reason::busy);
}

void data_server::inside::sweep_on() {
  board.expire(options.now());
  sweep.start(options.limits.sweep_every, [this] { sweep_on(); });
}

void data_server::inside::close_all() {
  sweep.cancel();
  tcp.reset();
  local.reset();
  for (const auto& session : sessions) session->close(refusal_reason::lost);
}

data_server::data_server(std::unique_ptr<inside> held) : inside_(std::move(held)) {}

data_server::~data_server() {
  // Wakers post to the I/O thread for as long as claims stand, so those go first.
  inside_->io.run([this] { inside_->close_all(); });
  inside_->io.stop();
  inside_->sessions.clear();
}

result<std::unique_ptr<data_server>> data_server::make(data_server_options options,
                                                       offer_board& board) {
  if (options.address.empty() && options.local_path.empty())
    return rejected("a data server needs an address or a path to listen on");
  if (auto safe = check_encryption(options); !safe) return safe.error();
  std::unique_ptr<data_server> server(
      new data_server(std::make_unique<inside>(std::move(options), board)));
  if (auto listening = server->inside_->listen(); !listening) return listening.error();
  return server;
}

std::uint16_t data_server::port() const {
  return inside_->tcp == nullptr ? std::uint16_t{0} : inside_->tcp->port();
}

result<transfer_ticket> data_server::issue_token(std::string node) {
  return inside_->tokens.issue(std::move(node), inside_->options.now());
}

status data_server::arm_fault(std::string_view text) { return inside_->faults.arm(text); }

const transfer_counters& data_server::counters() const { return inside_->counters; }

std::size_t data_server::connections() const { return inside_->connections; }

}  // namespace weft::gpu::comm
