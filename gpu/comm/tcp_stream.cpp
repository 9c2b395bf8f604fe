// Streams over TCP, bare or with TLS, and their listener.
#include <utility>

#include <boost/asio/connect.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>

#include "gpu/comm/byte_stream.hpp"
#include "gpu/comm/certificate_name.hpp"
#include "gpu/comm/stream_listener.hpp"

namespace weft::gpu::comm {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

constexpr std::chrono::milliseconds accept_pause{100};

// What both kinds of TCP stream share. `Layer` is the socket or the TLS layer over it.
template <class Layer>
class tcp_stream : public byte_stream, public std::enable_shared_from_this<tcp_stream<Layer>> {
 public:
  template <class... Arguments>
  explicit tcp_stream(Arguments&&... arguments) : layer_(std::forward<Arguments>(arguments)...) {}

  void read(std::span<std::byte> into, done then) override {
    asio::async_read(layer_, asio::buffer(into.data(), into.size()), passing(std::move(then)));
  }
  void write(std::span<const std::byte> bytes, done then) override {
    asio::async_write(layer_, asio::buffer(bytes.data(), bytes.size()), passing(std::move(then)));
  }
  void pass(int) override { WEFT_ASSERT(false); }  // TCP carries no files; only local streams do.
  descriptor take_passed() override { return {}; }
  void close() override {
    error_code ignored;
    socket().close(ignored);
  }

  tcp::socket::lowest_layer_type& socket() { return layer_.lowest_layer(); }

  void tune() {
    error_code ignored;
    socket().set_option(tcp::no_delay(true), ignored);  // Credits are small and waited for.
    socket().set_option(asio::socket_base::keep_alive(true), ignored);
  }

 protected:
  // A handler that keeps this stream alive until it is called.
  auto passing(done then) {
    return [self = this->shared_from_this(), then = std::move(then)](const error_code& error,
                                                                     std::size_t) { then(error); };
  }

  Layer layer_;
};

class bare_stream final : public tcp_stream<tcp::socket> {
 public:
  using tcp_stream::tcp_stream;
  stream_kind kind() const override { return stream_kind::bare; }
  void shake_hands(done then) override {
    asio::post(layer_.get_executor(),
               [self = shared_from_this(), then = std::move(then)] { then({}); });
  }
};

class tls_stream final : public tcp_stream<asio::ssl::stream<tcp::socket>> {
 public:
  tls_stream(tcp::socket socket, std::shared_ptr<tls_identity> identity,
             asio::ssl::stream_base::handshake_type role)
      : tcp_stream(std::move(socket), identity->context()),
        identity_(std::move(identity)),
        role_(role) {}
  stream_kind kind() const override { return stream_kind::tls; }
  void shake_hands(done then) override {
    layer_.async_handshake(role_, [self = shared_from_this(), then = std::move(then)](
                                      const error_code& error) { then(error); });
  }
  std::string peer_node() const override {
    auto* handle = const_cast<tls_stream*>(this)->layer_.native_handle();
    const std::unique_ptr<X509, void (*)(X509*)> certificate(SSL_get1_peer_certificate(handle),
                                                             X509_free);
    return certificate_name(certificate.get()).value_or("");
  }

 private:
  std::shared_ptr<tls_identity> identity_;  // The context must outlive the stream.
  asio::ssl::stream_base::handshake_type role_;
};

class tcp_listener final : public stream_listener {
 public:
  struct inside : std::enable_shared_from_this<inside> {
    inside(io_thread& thread, std::shared_ptr<tls_identity> who, arrival hear)
        : acceptor(thread.context()),
          pause(thread),
          identity(std::move(who)),
          then(std::move(hear)) {}

    void wait() {
      acceptor.async_accept([self = shared_from_this()](const error_code& error, tcp::socket peer) {
        if (!self->acceptor.is_open()) return;
        if (error) {
          self->pause.start(accept_pause, [self] { self->wait(); });
          return;
        }
        self->hand_over(std::move(peer));
        self->wait();
      });
    }
    void hand_over(tcp::socket peer) {
      if (identity != nullptr) {
        auto stream =
            std::make_shared<tls_stream>(std::move(peer), identity, asio::ssl::stream_base::server);
        stream->tune();
        then(std::move(stream));
        return;
      }
      auto stream = std::make_shared<bare_stream>(std::move(peer));
      stream->tune();
      then(std::move(stream));
    }

    tcp::acceptor acceptor;
    io_timer pause;
    std::shared_ptr<tls_identity> identity;
    arrival then;
    std::uint16_t port = 0;
  };

  explicit tcp_listener(std::shared_ptr<inside> held) : inside_(std::move(held)) {}
  ~tcp_listener() override { close(); }
  std::uint16_t port() const override { return inside_->port; }
  void close() override {
    error_code ignored;
    inside_->acceptor.close(ignored);
    inside_->pause.cancel();
    inside_->then = nullptr;
  }

 private:
  std::shared_ptr<inside> inside_;
};

template <class Stream>
void start_connecting(const std::shared_ptr<Stream>& stream, const tcp::endpoint& peer,
                      connected then) {
  stream->socket().async_connect(peer, [stream, then = std::move(then)](const error_code& error) {
    if (!error) stream->tune();
    then(error);
  });
}

}  // namespace

stream_pointer connect_tcp(io_thread& io, const std::string& address, std::uint16_t port,
                           std::shared_ptr<tls_identity> identity, connected then) {
  error_code error;
  const tcp::endpoint peer(asio::ip::make_address(address, error), port);
  tcp::socket socket(io.context());
  if (identity == nullptr) {
    auto stream = std::make_shared<bare_stream>(std::move(socket));
    if (error)
      io.post([error, then] { then(error); });
    else
      start_connecting(stream, peer, std::move(then));
    return stream;
  }
  auto stream = std::make_shared<tls_stream>(std::move(socket), std::move(identity),
                                             asio::ssl::stream_base::client);
  if (error)
    io.post([error, then] { then(error); });
  else
    start_connecting(stream, peer, std::move(then));
  return stream;
}

result<std::unique_ptr<stream_listener>> stream_listener::tcp(
    io_thread& io, const std::string& address, std::uint16_t port,
    std::shared_ptr<tls_identity> identity, arrival then) {
  error_code error;
  const auto parsed = asio::ip::make_address(address, error);
  if (error)
    return rejected("\"" + address + "\" is not a numeric address to listen on, like 10.1.0.7");
  const tcp::endpoint place(parsed, port);
  auto inside = std::make_shared<tcp_listener::inside>(io, std::move(identity), std::move(then));
  auto& acceptor = inside->acceptor;
  acceptor.open(place.protocol(), error);
  if (!error) acceptor.set_option(asio::socket_base::reuse_address(true), error);
  if (!error) acceptor.bind(place, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return unavailable("cannot listen on " + address + " port " + std::to_string(port) + ": " +
                       error.message());
  inside->port = acceptor.local_endpoint().port();
  io.post([inside] { inside->wait(); });
  return std::unique_ptr<stream_listener>(std::make_unique<tcp_listener>(std::move(inside)));
}

}  // namespace weft::gpu::comm
