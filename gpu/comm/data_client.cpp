#include "gpu/comm/data_client.hpp"

#include <atomic>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "gpu/comm/io_thread.hpp"
#include "gpu/comm/pull_session.hpp"

namespace weft::gpu::comm {

struct data_client::inside {
  explicit inside(data_client_options chosen)
      : options(std::move(chosen)), staging(options.staging_bytes_max) {}

  result<std::optional<staging_ring>> make_ring(const pull_order& order) const;
  void close_all();

  data_client_options options;
  staging_account staging;
  transfer_counters counters;
  std::atomic<std::size_t> pulls = 0;
  io_thread io;  // Before all that lives on it.
  std::unordered_set<std::shared_ptr<pull_session>> sessions;
  bool closing = false;
};

result<std::optional<staging_ring>> data_client::inside::make_ring(const pull_order& order) const {
  if (order.endpoint.local_path.empty() || !options.shared_memory)
    return std::optional<staging_ring>();
  auto ring = staging_ring::make(options.credit_bytes);
  if (!ring) return ring.error();
  return std::optional<staging_ring>(std::move(*ring));
}

void data_client::inside::close_all() {
  closing = true;
  // A copy: sessions take themselves out.
  const std::vector<std::shared_ptr<pull_session>> all(sessions.begin(), sessions.end());
  for (const auto& session : all)
    session->close({refusal_reason::cancelled, "the data client is closing"});
}

data_client::data_client(data_client_options options)
    : inside_(std::make_unique<inside>(std::move(options))) {
  WEFT_ASSERT(inside_->options.credit_bytes > 0);
}

data_client::~data_client() {
  inside_->io.run([this] { inside_->close_all(); });
  inside_->io.stop();
  inside_->sessions.clear();
}

result<pull_handle> data_client::pull(pull_order order, std::shared_ptr<layer_sink> sink) {
  WEFT_ASSERT(sink != nullptr);
  auto& in = *inside_;
  if (order.endpoint.local_path.empty() && order.endpoint.encrypted && !in.options.identity)
    return rejected("the data server of " + order.endpoint.node +
                    " wants TLS and this client has no certificate; set [tls]");
  const bool by_ring = !order.endpoint.local_path.empty() && in.options.shared_memory;
  auto lease = in.staging.take(by_ring ? in.options.credit_bytes : frame_payload_bytes_max);
  if (!lease) return lease.error();
  if (++in.pulls > in.options.pulls_max) {
    --in.pulls;
    return overloaded("all " + std::to_string(in.options.pulls_max) +
                      " pulls are running; wait for some to finish");
  }
  auto ring = in.make_ring(order);
  if (!ring) {
    --in.pulls;
    return ring.error();
  }
  // The session is made here, for the handle, and lives on the I/O thread from `start` on.
  auto cell = std::make_shared<std::weak_ptr<pull_session>>();
  auto on_closed = [&in, cell] {
    if (const auto self = cell->lock()) in.sessions.erase(self);
    --in.pulls;
  };
  auto session = std::make_shared<pull_session>(
      client_surroundings{in.io, in.counters, in.options}, std::move(order), std::move(sink),
      std::move(*lease), std::move(*ring), std::move(on_closed));
  *cell = session;
  pull_handle handle(&in.io, session);
  in.io.post([&in, session = std::move(session)] {
    in.sessions.insert(session);
    session->start();
    if (in.closing) session->close({refusal_reason::cancelled, "the data client is closing"});
  });
  return handle;
}

staging_counts data_client::staging() const { return inside_->staging.counts(); }

const transfer_counters& data_client::counters() const { return inside_->counters; }

std::size_t data_client::pulls() const { return inside_->pulls; }

void pull_handle::cancel() {
  if (io_ == nullptr) return;
  io_->post([weak = session_] {
    if (const auto session = weak.lock())
      session->give_up({refusal_reason::cancelled, "the receiver cancelled"});
  });
}

void pull_handle::resume() {
  if (io_ == nullptr) return;
  io_->post([weak = session_] {
    if (const auto session = weak.lock()) session->resume();
  });
}

}  // namespace weft::gpu::comm
