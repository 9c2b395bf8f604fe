// How a data server listens, whom it lets in, and what it allows at most.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/comm/offer_board.hpp"
#include "gpu/comm/tls_identity.hpp"

namespace weft::gpu::comm {

struct data_server_limits {
  std::size_t connections_max = 256;
  // Of those, connections that have not yet said who they are. When one too many comes, the oldest
  // of them goes: so silent ones cannot keep the door.
  std::size_t strangers_max = 64;
  std::size_t pulls_per_connection_max = 1024;  // One after another.
  std::uint64_t credit_bytes_max = 64u << 20;   // Granted and not yet used, per pull.
  std::uint64_t ring_bytes_max = 64u << 20;     // Of a receiver's shared staging.
  std::size_t tokens_max = 1024;                // Connection tokens out and unused.
  std::chrono::milliseconds token_lifetime{30'000};
  std::chrono::milliseconds admission_max{5'000};   // From the connection to the first pull.
  std::chrono::milliseconds idle_max{30'000};       // A receiver that neither reads nor grants.
  std::chrono::milliseconds transfer_max{600'000};  // A whole pull.
  std::chrono::milliseconds sweep_every{100};       // How often leases are looked at.
};

struct data_server_options {
  std::string address;     // Numeric, for TCP; empty: no TCP.
  std::uint16_t port = 0;  // 0: any free one.
  std::string local_path;  // Of the Unix domain socket; empty: none.

  // Without encryption TCP is refused unless `address` is a loopback address or in `open_networks`;
  // then a connection token must come first.
  bool encrypt = true;
  std::shared_ptr<tls_identity> identity;  // Required for TCP with encryption.
  std::vector<std::string> open_networks;  // "10.1.0.0/16".

  data_server_limits limits;
  // What leases and tokens are measured by.
  std::function<time_point()> now = [] { return std::chrono::steady_clock::now(); };
};

}  // namespace weft::gpu::comm
