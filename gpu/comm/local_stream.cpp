// Streams over Unix domain sockets, which can carry an open file along, and their listener.
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/post.hpp>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "gpu/comm/byte_stream.hpp"
#include "gpu/comm/stream_listener.hpp"

namespace weft::gpu::comm {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;
using protocol = asio::local::stream_protocol;

constexpr std::chrono::milliseconds accept_pause{100};

// Room for one file beside the bytes; the kernel closes what does not fit.
struct file_room {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> bytes = {};
};

// Takes the files out of a received message, keeping the last.
void take_files(msghdr& message, descriptor& into) {
  for (cmsghdr* part = CMSG_FIRSTHDR(&message); part != nullptr;
       part = CMSG_NXTHDR(&message, part)) {
    if (part->cmsg_level != SOL_SOCKET || part->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t index = 0; index < count; ++index) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(part) + index * sizeof(int), sizeof number);
      into = descriptor(number);
    }
  }
}

ssize_t receive_some(int socket, std::span<std::byte> into, descriptor& passed) {
  file_room room;
  iovec piece{into.data(), into.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  message.msg_control = room.bytes.data();
  message.msg_controllen = room.bytes.size();
  const ssize_t count = ::recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  if (count >= 0) take_files(message, passed);
  return count;
}

ssize_t send_some(int socket, std::span<const std::byte> bytes, int file) {
  file_room room;
  iovec piece{const_cast<std::byte*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  if (file >= 0) {
    message.msg_control = room.bytes.data();
    message.msg_controllen = room.bytes.size();
    cmsghdr* part = CMSG_FIRSTHDR(&message);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(sizeof file);
    std::memcpy(CMSG_DATA(part), &file, sizeof file);
  }
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

class local_stream final : public byte_stream, public std::enable_shared_from_this<local_stream> {
 public:
  explicit local_stream(protocol::socket socket) : socket_(std::move(socket)) {}

  stream_kind kind() const override { return stream_kind::local; }
  void shake_hands(done then) override { finish(std::move(then), {}); }
  void pass(int file) override { to_pass_ = file; }
  descriptor take_passed() override { return std::move(passed_); }
  void close() override {
    error_code ignored;
    socket_.close(ignored);
  }
  void read(std::span<std::byte> into, done then) override {
    make_non_blocking();
    read_on(into, std::move(then));
  }
  void write(std::span<const std::byte> bytes, done then) override {
    make_non_blocking();
    write_on(bytes, std::move(then));
  }
  protocol::socket& socket() { return socket_; }

 private:
  void make_non_blocking() {
    error_code ignored;
    if (!socket_.native_non_blocking()) socket_.native_non_blocking(true, ignored);
  }

  void finish(done then, std::error_code error) {
    asio::post(socket_.get_executor(),
               [self = shared_from_this(), then = std::move(then), error] { then(error); });
  }

  void read_on(std::span<std::byte> into, done then) {
    while (!into.empty()) {
      if (!socket_.is_open())
        return finish(std::move(then), error_code(asio::error::bad_descriptor));
      const ssize_t count = receive_some(socket_.native_handle(), into, passed_);
      if (count > 0) {
        into = into.subspan(static_cast<std::size_t>(count));
      } else if (count == 0) {
        return finish(std::move(then), error_code(asio::error::eof));
      } else if (errno == EAGAIN) {
        socket_.async_wait(protocol::socket::wait_read,
                           [self = shared_from_this(), into,
                            then = std::move(then)](const error_code& error) mutable {
                             if (error) return then(error);
                             self->read_on(into, std::move(then));
                           });
        return;
      } else if (errno != EINTR) {
        return finish(std::move(then), std::error_code(errno, std::system_category()));
      }
    }
    finish(std::move(then), {});
  }

  void write_on(std::span<const std::byte> bytes, done then) {
    while (!bytes.empty()) {
      if (!socket_.is_open())
        return finish(std::move(then), error_code(asio::error::bad_descriptor));
      const ssize_t count = send_some(socket_.native_handle(), bytes, to_pass_);
      if (count >= 0) {
        to_pass_ = -1;
        bytes = bytes.subspan(static_cast<std::size_t>(count));
      } else if (errno == EAGAIN) {
        socket_.async_wait(protocol::socket::wait_write,
                           [self = shared_from_this(), bytes,
                            then = std::move(then)](const error_code& error) mutable {
                             if (error) return then(error);
                             self->write_on(bytes, std::move(then));
                           });
        return;
      } else if (errno != EINTR) {
        return finish(std::move(then), std::error_code(errno, std::system_category()));
      }
    }
    finish(std::move(then), {});
  }

  protocol::socket socket_;
  descriptor passed_;
  int to_pass_ = -1;
};

bool same_user(int socket) {
  ucred peer{};
  socklen_t size = sizeof peer;
  return ::getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
         peer.uid == ::geteuid();
}

class local_listener final : public stream_listener {
 public:
  struct inside : std::enable_shared_from_this<inside> {
    inside(io_thread& thread, std::string where, arrival hear)
        : acceptor(thread.context()),
          pause(thread),
          path(std::move(where)),
          then(std::move(hear)) {}

    void wait() {
      acceptor.async_accept(
          [self = shared_from_this()](const error_code& error, protocol::socket peer) {
            if (!self->acceptor.is_open()) return;
            if (error) {
              self->pause.start(accept_pause, [self] { self->wait(); });
              return;
            }
            if (same_user(peer.native_handle()))
              self->then(std::make_shared<local_stream>(std::move(peer)));
            self->wait();
          });
    }

    protocol::acceptor acceptor;
    io_timer pause;
    std::string path;
    arrival then;
  };

  explicit local_listener(std::shared_ptr<inside> held) : inside_(std::move(held)) {}
  ~local_listener() override { close(); }
  std::uint16_t port() const override { return 0; }
  void close() override {
    if (!inside_->acceptor.is_open()) return;
    error_code ignored;
    inside_->acceptor.close(ignored);
    inside_->pause.cancel();
    inside_->then = nullptr;
    ::unlink(inside_->path.c_str());
  }

 private:
  std::shared_ptr<inside> inside_;
};

// Removes a socket that nobody listens on any more.
status clear_path(const std::string& path) {
  struct stat found {};
  if (::lstat(path.c_str(), &found) != 0) return {};
  if (!S_ISSOCK(found.st_mode))
    return rejected(path + " is there and is no socket; name another path for the data channel");
  const descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  sockaddr_un place{};
  place.sun_family = AF_UNIX;
  path.copy(place.sun_path, sizeof place.sun_path - 1);
  const bool answered =
      ::connect(probe.number(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0;
  if (answered || errno != ECONNREFUSED)
    return unavailable("another process listens on " + path + "; name another path");
  ::unlink(path.c_str());
  return {};
}

bool too_long(const std::string& path) { return path.size() >= sizeof(sockaddr_un::sun_path); }

}  // namespace

stream_pointer connect_local(io_thread& io, const std::string& path, connected then) {
  auto stream = std::make_shared<local_stream>(protocol::socket(io.context()));
  if (path.empty() || too_long(path)) {
    io.post([then] { then(std::make_error_code(std::errc::filename_too_long)); });
    return stream;
  }
  stream->socket().async_connect(
      protocol::endpoint(path),
      [stream, then = std::move(then)](const error_code& error) { then(error); });
  return stream;
}

result<std::unique_ptr<stream_listener>> stream_listener::local(io_thread& io,
                                                                const std::string& path,
                                                                arrival then) {
  if (path.empty() || too_long(path))
    return rejected("\"" + path + "\" has no length that a Unix socket's path may have (1 to " +
                    std::to_string(sizeof(sockaddr_un::sun_path) - 1) + " bytes)");
  if (auto cleared = clear_path(path); !cleared) return cleared.error();
  auto inside = std::make_shared<local_listener::inside>(io, path, std::move(then));
  auto& acceptor = inside->acceptor;
  error_code error;
  acceptor.open(protocol(), error);
  if (!error) acceptor.bind(protocol::endpoint(path), error);
  // Nobody can connect between `bind` and `listen`, so the mode holds from the first peer on.
  if (!error && ::chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0)
    error = error_code(errno, boost::system::system_category());
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return unavailable("cannot listen on " + path + ": " + error.message());
  io.post([inside] { inside->wait(); });
  return std::unique_ptr<stream_listener>(std::make_unique<local_listener>(std::move(inside)));
}

}  // namespace weft::gpu::comm
