// A peer that speaks whatever a test wants, over a blocking socket.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

#include "gpu/comm/control_body.hpp"
#include "gpu/comm/descriptor.hpp"
#include "gpu/comm/frame.hpp"

namespace weft::gpu::comm {

class raw_peer {
 public:
  // To a port of this host.
  explicit raw_peer(std::uint16_t port)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in place{};
    place.sin_family = AF_INET;
    place.sin_port = htons(port);
    place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    join(reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }
  explicit raw_peer(const std::string& path)
      : socket_(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    path.copy(place.sun_path, sizeof place.sun_path - 1);
    join(reinterpret_cast<const sockaddr*>(&place), sizeof place);
  }

  bool connected() const { return connected_; }

  bool send(std::span<const std::byte> bytes) {
    return ::send(socket_.number(), bytes.data(), bytes.size(), MSG_NOSIGNAL) ==
           static_cast<ssize_t>(bytes.size());
  }

  bool send(frame_kind kind, std::span<const std::byte> body, transfer_id transfer = {}) {
    frame_header header;
    header.kind = kind;
    header.transfer = transfer;
    std::vector<std::byte> frame(frame_header_bytes + body.size());
    seal_frame(header, body, std::span(frame).first<frame_header_bytes>());
    std::copy(body.begin(), body.end(), frame.begin() + frame_header_bytes);
    return send(frame);
  }

  // The next frame; nothing when the other side hung up instead.
  std::optional<frame_header> hear() {
    std::vector<std::byte> bytes(frame_header_bytes);
    if (!fill(bytes)) return std::nullopt;
    const auto header = parse_header(std::span<const std::byte>(bytes).first<frame_header_bytes>());
    if (!header) return std::nullopt;
    payload.resize(header->payload_bytes);
    if (!fill(payload)) return std::nullopt;
    return header;
  }

  // Reads until the other side hangs up; false if it does not within a minute.
  bool hears_hang_up() {
    std::byte byte;
    ssize_t count = 1;
    while (count > 0) count = ::recv(socket_.number(), &byte, 1, 0);
    return count == 0 || errno == ECONNRESET;
  }

  std::vector<std::byte> payload;  // Of the frame heard last.

 private:
  void join(const sockaddr* place, socklen_t size) {
    const timeval limit{60, 0};
    ::setsockopt(socket_.number(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    connected_ = ::connect(socket_.number(), place, size) == 0;
  }
  bool fill(std::span<std::byte> into) {
    return into.empty() || ::recv(socket_.number(), into.data(), into.size(), MSG_WAITALL) ==
                               static_cast<ssize_t>(into.size());
  }

  descriptor socket_;
  bool connected_ = false;
};

}  // namespace weft::gpu::comm
