// Bytes both ways to one peer: TCP with TLS, bare TCP, or a Unix domain socket.
//
// One read and one write may be under way at a time. Their handlers are called on the I/O thread,
// never from inside the call itself. Threads: the I/O thread only.
//
// A stream that ends says so as an error like any other; what makes a transfer whole is its `end`
// frame, not the stream's end, so TLS closes without a farewell.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <system_error>

#include "gpu/comm/descriptor.hpp"
#include "gpu/comm/io_thread.hpp"
#include "gpu/comm/tls_identity.hpp"

namespace weft::gpu::comm {

enum class stream_kind { tls, bare, local };

class byte_stream {
 public:
  using done = std::function<void(std::error_code)>;

  virtual ~byte_stream() = default;
  virtual stream_kind kind() const = 0;

  // TLS: both sides show and check their certificates. Others: at once.
  virtual void shake_hands(done then) = 0;

  // After the handshake: the node that the peer's certificate names, empty without one.
  virtual std::string peer_node() const { return {}; }

  // Fills all of `into`, which must live until then.
  virtual void read(std::span<std::byte> into, done then) = 0;

  // Sends all of `bytes`, which must live until then.
  virtual void write(std::span<const std::byte> bytes, done then) = 0;

  // Local streams: `file` goes with the first byte of the next write, and stays the caller's;
  // the last file that came with what was read so far.
  virtual void pass(int file) = 0;
  virtual descriptor take_passed() = 0;

  // Handlers under way are called with an error. Calling it again does nothing.
  virtual void close() = 0;
};

using stream_pointer = std::shared_ptr<byte_stream>;
using connected = std::function<void(std::error_code)>;

// A stream on its way to `address` (numeric) and `port`; `then` hears when it stands. Closing it
// ends the attempt. With an identity it will speak TLS.
stream_pointer connect_tcp(io_thread& io, const std::string& address, std::uint16_t port,
                           std::shared_ptr<tls_identity> identity, connected then);
stream_pointer connect_local(io_thread& io, const std::string& path, connected then);

}  // namespace weft::gpu::comm
