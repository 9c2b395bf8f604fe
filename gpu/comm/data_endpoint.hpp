// Where a node's data server is to be found, as its peers are told.
#pragma once

#include <cstdint>
#include <string>

#include "gpu/comm/ticket.hpp"

namespace weft::gpu::comm {

struct data_endpoint {
  // For a receiver on the same host: the Unix domain socket. Empty: TCP.
  std::string local_path;

  // Numeric: a name would have to be resolved, which blocks; the configuration does that once.
  std::string address;
  std::uint16_t port = 0;
  bool encrypted = true;
  std::string node;                  // Encrypted: whom the certificate must name.
  transfer_ticket connection_token;  // Not encrypted: the server's single-use token.
};

}  // namespace weft::gpu::comm
