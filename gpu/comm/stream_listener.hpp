// Waits for peers and hands each over as a stream.
//
// Threads: made anywhere, `close` and the calls on the I/O thread. When the process has no more
// file descriptors it waits a little and tries again, instead of spinning.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "gpu/comm/byte_stream.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

class stream_listener {
 public:
  using arrival = std::function<void(stream_pointer)>;

  // On a numeric address; port 0 takes a free one. With an identity streams speak TLS.
  static result<std::unique_ptr<stream_listener>> tcp(io_thread& io, const std::string& address,
                                                      std::uint16_t port,
                                                      std::shared_ptr<tls_identity> identity,
                                                      arrival then);

  // On a path that only this user may open (0600). A socket that a dead process left there is
  // replaced; one that answers is not, nor is any other file. Peers of another user are turned
  // away.
  static result<std::unique_ptr<stream_listener>> local(io_thread& io, const std::string& path,
                                                        arrival then);

  virtual ~stream_listener() = default;
  virtual std::uint16_t port() const = 0;  // 0 for a local one.
  virtual void close() = 0;                // A local one's path is removed.
};

}  // namespace weft::gpu::comm
