// Single-use tokens that open unencrypted connections.
//
// Where a network is trusted enough to go without TLS, the control channel (which is encrypted)
// carries a token to the receiver; the token also says which node the connection then speaks for.
//
// Threads: any.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "gpu/comm/ticket.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

class connection_tokens {
 public:
  using time_point = std::chrono::steady_clock::time_point;

  connection_tokens(std::size_t tokens_max, std::chrono::milliseconds lifetime)
      : tokens_max_(tokens_max), lifetime_(lifetime) {}

  // A token for `node`, or `overloaded` when too many are out unused.
  result<transfer_ticket> issue(std::string node, time_point now);

  // Whose token it was, once; nothing for a token that is unknown, spent or too old.
  std::optional<std::string> spend(const transfer_ticket& token, time_point now);

 private:
  struct issued {
    std::string node;
    time_point deadline;
  };

  std::size_t tokens_max_;
  std::chrono::milliseconds lifetime_;
  std::mutex mutex_;
  std::unordered_map<transfer_ticket, issued, ticket_hash> out_;
};

}  // namespace weft::gpu::comm
