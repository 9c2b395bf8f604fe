// What stands in the payloads of the frames that are not data.
//
// Each has `encode`, and a decoder that answers nothing unless the bytes are exactly one body.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "gpu/comm/refusal.hpp"
#include "policies/vocabulary/node_name.hpp"
#include "policies/vocabulary/transfer_ticket.hpp"

namespace weft::gpu::comm {

inline constexpr std::size_t refusal_message_bytes_max = 512;

// Opens a connection that no certificate vouches for.
struct hello_body {
  transfer_ticket token;  // Unencrypted TCP: the single-use connection token. Unix socket: zeros.
  std::string node;  // Unix socket: the receiver's name. TCP: ignored, the token says whose it is.
};

struct pull_body {
  transfer_ticket offer;
  std::uint32_t first_layer = 0;   // Layers before it are not wanted (they came earlier).
  std::uint64_t credit_bytes = 0;  // May be sent at once. With a ring: the ring's size.
  bool ring = false;               // A memfd of credit_bytes comes with the frame.
};

std::vector<std::byte> encode(const hello_body& body);
std::vector<std::byte> encode(const pull_body& body);
std::vector<std::byte> encode(const refusal& body);  // Cuts the message to its bound.
std::vector<std::byte> encode_credit(std::uint64_t bytes);

std::optional<hello_body> decode_hello(std::span<const std::byte> payload);
std::optional<pull_body> decode_pull(std::span<const std::byte> payload);
std::optional<refusal> decode_refusal(std::span<const std::byte> payload);
std::optional<std::uint64_t> decode_credit(std::span<const std::byte> payload);

}  // namespace weft::gpu::comm
