// A data server and a data client of one process, joined by the transport of a test's choice.
#pragma once

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>

#include "gpu/comm/data_client.hpp"
#include "gpu/comm/data_server.hpp"
#include "tests/gpu/certificates.hpp"
#include "tests/gpu/comm_twins.hpp"

namespace weft::gpu::comm {

enum class transport { tls, bare, socket, ring };

inline const char* name_of(transport how) {
  switch (how) {
    case transport::tls: return "tls";
    case transport::bare: return "bare";
    case transport::socket: return "socket";
    case transport::ring: return "ring";
  }
  return "";
}

class comm_stage {
 public:
  explicit comm_stage(transport how, data_server_limits limits = {},
                      data_client_options client_options = {})
      : how_(how) {
    data_server_options options;
    options.limits = limits;
    options.now = [this] { return now(); };
    if (how == transport::tls || how == transport::bare) options.address = "127.0.0.1";
    if (how == transport::socket || how == transport::ring) options.local_path = path();
    options.encrypt = how == transport::tls;
    if (options.encrypt) options.identity = made.identity("scatter-1");
    auto server_made = data_server::make(std::move(options), board);
    WEFT_ASSERT(server_made.ok());
    server = std::move(*server_made);
    client_options.node = "combine-1";
    client_options.shared_memory = how == transport::ring;
    if (how == transport::tls) client_options.identity = made.identity("combine-1");
    client = std::make_unique<data_client>(client_options);
  }
  ~comm_stage() {
    client.reset();
    server.reset();
  }

  std::string path() const { return made.folder() + "/data.sock"; }
  time_point now() const { return start_ + std::chrono::milliseconds(passed_ms_.load()); }
  void pass(std::chrono::milliseconds time) { passed_ms_ += time.count(); }

  data_endpoint endpoint() {
    data_endpoint place;
    if (how_ == transport::socket || how_ == transport::ring) {
      place.local_path = path();
      return place;
    }
    place.address = "127.0.0.1";
    place.port = server->port();
    place.encrypted = how_ == transport::tls;
    place.node = "scatter-1";
    if (!place.encrypted) place.connection_token = *server->issue_token("combine-1");
    return place;
  }

  // Offers `source` as a new segment to combine-1, for an hour.
  pull_order offer_of(std::shared_ptr<const layer_source> source) {
    pull_order order;
    order.endpoint = endpoint();
    order.offer = *draw_ticket();
    order.transfer = {{{1}, 2}, ++segments_, {3}};
    WEFT_ASSERT(board
                    .post({order.offer, order.transfer, std::move(source), "combine-1",
                           now() + std::chrono::hours(1)},
                          now())
                    .ok());
    return order;
  }

  std::shared_ptr<recording_sink> pull(const pull_order& order, int pauses = 0) {
    auto sink = std::make_shared<recording_sink>(pauses);
    auto handle = client->pull(order, sink);
    WEFT_ASSERT(handle.ok());
    last = *handle;
    return sink;
  }

  // The end of a pull, its sentence, as people would read it.
  static std::string sentence(const std::shared_ptr<recording_sink>& sink) {
    if (!sink->wait_for_end()) return "no end";
    const auto outcome = sink->outcome();
    if (outcome.ok()) return "ok";
    return std::string(weft::name_of(outcome.error().kind)) + ": " + outcome.error().message;
  }

  // All is given back: staging, claims, pulls that linger.
  bool comes_to_rest() {
    return comes_true([&] {
      const auto staging = client->staging();
      return staging.free == staging.total && client->pulls() == 0 && board.counts().pulls == 0;
    });
  }

  certificates made;
  offer_board board;
  std::unique_ptr<data_server> server;
  std::unique_ptr<data_client> client;
  pull_handle last;

 private:
  transport how_;
  time_point start_ = std::chrono::steady_clock::now();
  std::atomic<std::int64_t> passed_ms_ = 0;
  std::uint32_t segments_ = 0;
};

inline bool says(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace weft::gpu::comm
