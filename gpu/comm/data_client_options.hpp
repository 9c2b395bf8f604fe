// What a data client is and what it may use at most.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "gpu/comm/data_endpoint.hpp"
#include "gpu/comm/tls_identity.hpp"
#include "gpu/comm/transfer_id.hpp"

namespace weft::gpu::comm {

struct data_client_options {
  std::string node;                        // Our name, told over Unix sockets.
  std::shared_ptr<tls_identity> identity;  // Required for encrypted endpoints.
  std::uint64_t staging_bytes_max = 256u << 20;
  std::size_t pulls_max = 256;  // At a time: each holds one or two file descriptors.
  // What one pull may have on its way; over a Unix socket the size of its ring. Four frames, so
  // that the sender fills one while another is read.
  std::uint64_t credit_bytes = 1u << 20;
  bool shared_memory = true;  // Over Unix sockets: bytes by a ring, not through the socket.
  std::chrono::milliseconds admission_max{5'000};  // Until connection and handshake stand.
  std::chrono::milliseconds linger_max{10'000};    // For a sender to own up that it has stopped.
};

struct pull_order {
  data_endpoint endpoint;
  transfer_ticket offer;
  transfer_id transfer;
  std::uint32_t first_layer = 0;
  std::chrono::milliseconds deadline{60'000};  // For all of it.
};

}  // namespace weft::gpu::comm
