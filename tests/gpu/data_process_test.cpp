// The data channel between two processes, one of which is killed.
#include <csignal>
#include <filesystem>

#include <catch2/catch.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "gpu/comm/data_client.hpp"
#include "gpu/comm/data_server.hpp"
#include "tests/gpu/certificates.hpp"
#include "tests/gpu/comm_twins.hpp"

namespace weft::gpu::comm {
namespace {

// A child that runs `work` with a pipe to write its port into, and then waits to be killed.
// Forked before any thread of the test's own is there.
class child_process {
 public:
  explicit child_process(const std::function<void(int pipe)>& work) {
    int ends[2] = {};
    WEFT_ASSERT(::pipe(ends) == 0);
    process_ = ::fork();
    if (process_ == 0) {
      ::close(ends[0]);
      work(ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    WEFT_ASSERT(::read(ends[0], &port_, sizeof port_) == sizeof port_);
    ::close(ends[0]);
  }
  ~child_process() { kill(); }
  std::uint16_t port() const { return port_; }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }

 private:
  pid_t process_ = 0;
  std::uint16_t port_ = 0;
};

void tell(int pipe, std::uint16_t port) {
  WEFT_ASSERT(::write(pipe, &port, sizeof port) == sizeof port);
}

// All that both processes have to know; made before the fork.
struct common_ground {
  certificates made;
  std::string path = made.folder() + "/data.sock";
  transfer_ticket key = *draw_ticket();
  transfer_id transfer{{{1}, 2}, 3, {4}};
  layer_contents contents = random_layers({300'000, 200'000}, 6);

  // Serves the first layer of two, for ever.
  void serve(int pipe, std::shared_ptr<tls_identity> identity) const {
    offer_board board;
    const auto now = std::chrono::steady_clock::now();
    const auto source = std::make_shared<growing_source>(contents, 1);
    WEFT_ASSERT(board.post({key, transfer, source, "", now + std::chrono::hours(1)}, now).ok());
    data_server_options options;
    options.address = "127.0.0.1";
    options.local_path = path;
    options.identity = std::move(identity);
    const auto server = data_server::make(std::move(options), board);
    WEFT_ASSERT(server.ok());
    tell(pipe, (*server)->port());
    while (true) ::pause();
  }

  pull_order order(bool local, std::uint16_t port) const {
    pull_order wish;
    wish.endpoint.local_path = local ? path : "";
    wish.endpoint.address = "127.0.0.1";
    wish.endpoint.port = port;
    wish.endpoint.node = "scatter-1";
    wish.offer = key;
    wish.transfer = transfer;
    return wish;
  }
};

}  // namespace

TEST_CASE("a killed sender is noticed, and its receiver's staging comes back",
          "[gpu][comm][data_client]") {
  const bool local = GENERATE(false, true);
  INFO((local ? "ring" : "tls"));
  common_ground ground;
  const auto sender = ground.made.identity("scatter-1");
  data_client_options options;
  options.identity = ground.made.identity("combine-1");
  child_process child([&](int pipe) { ground.serve(pipe, sender); });
  data_client client(options);
  const auto sink = std::make_shared<recording_sink>();
  REQUIRE(client.pull(ground.order(local, child.port()), sink).ok());
  REQUIRE(sink->wait_for_layers(1));
  CHECK(sink->layers().front() == ground.contents.front());
  CHECK(client.staging().in_flight > 0);
  child.kill();
  REQUIRE(sink->wait_for_end());
  REQUIRE_FALSE(sink->outcome().ok());
  CHECK(sink->outcome().error().kind == failure_kind::unavailable);
  CHECK(comes_true([&] { return client.staging().free == client.staging().total; }));
  CHECK(client.counters().failed_by(refusal_reason::lost) == 1);
}

TEST_CASE("a killed receiver is noticed, and its sender is free again",
          "[gpu][comm][data_server]") {
  common_ground ground;
  child_process child([&](int pipe) {
    tell(pipe, 1);
    while (!std::filesystem::exists(ground.path)) ::usleep(1000);
    data_client client(data_client_options{});
    const auto sink = std::make_shared<recording_sink>();
    WEFT_ASSERT(client.pull(ground.order(true, 0), sink).ok());
    while (true) ::pause();
  });
  offer_board board;
  const auto now = std::chrono::steady_clock::now();
  const auto source = std::make_shared<growing_source>(ground.contents, 1);
  REQUIRE(
      board.post({ground.key, ground.transfer, source, "", now + std::chrono::hours(1)}, now).ok());
  data_server_options options;
  options.local_path = ground.path + ".new";
  const auto server = data_server::make(options, board);
  REQUIRE(server.ok());
  // Only now, when it listens, does the child find it.
  std::filesystem::create_symlink(ground.path + ".new", ground.path);
  REQUIRE(comes_true([&] { return (*server)->counters().bytes == 300'000; }));
  CHECK(board.counts().pulls == 1);
  child.kill();
  CHECK(comes_true([&] { return board.counts().pulls == 0; }));
  CHECK(comes_true([&] { return (*server)->connections() == 0; }));
  CHECK((*server)->counters().failed_by(refusal_reason::lost) == 1);
}

}  // namespace weft::gpu::comm
