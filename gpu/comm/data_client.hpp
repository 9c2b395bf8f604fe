// Pulls entries from other processes, on one thread of its own.
//
// Threads: every member may be called from any thread but the client's own, `pull` from there too.
#pragma once

#include <memory>

#include "gpu/comm/data_client_options.hpp"
#include "gpu/comm/layer_sink.hpp"
#include "gpu/comm/staging_account.hpp"
#include "gpu/comm/transfer_counters.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

class pull_session;
class io_thread;

// What can be done to a pull from outside. Copies mean the same pull; none keeps it alive.
// Requires of each call: the client lives. Threads: any, the sink's calls too.
class pull_handle {
 public:
  pull_handle() = default;

  // The sink hears `cancelled`, unless it has heard another end by then.
  void cancel();
  // After a `pause`: more, please.
  void resume();

 private:
  friend class data_client;
  pull_handle(io_thread* io, std::weak_ptr<pull_session> session)
      : io_(io), session_(std::move(session)) {}
  io_thread* io_ = nullptr;
  std::weak_ptr<pull_session> session_;
};

class data_client {
 public:
  explicit data_client(data_client_options options);
  // Sinks of pulls that run hear `cancelled` before it returns.
  ~data_client();

  // Starts a pull; the sink is kept until its end. An answer here other than a handle is the end:
  // the sink hears nothing. `overloaded` when staging or pulls are used up; `rejected` for an
  // endpoint that asks for a certificate we have not.
  result<pull_handle> pull(pull_order order, std::shared_ptr<layer_sink> sink);

  staging_counts staging() const;
  const transfer_counters& counters() const;
  std::size_t pulls() const;  // Also those that linger.

 private:
  struct inside;
  std::unique_ptr<inside> inside_;
};

}  // namespace weft::gpu::comm
