#include "gpu/comm/data_server.hpp"

#include <fstream>

#include <catch2/catch.hpp>
#include <sys/stat.h>

#include "tests/gpu/comm_stage.hpp"
#include "tests/gpu/raw_peer.hpp"

namespace weft::gpu::comm {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<growing_source> some_source() {
  return std::make_shared<growing_source>(random_layers({70'000, 9}, 8));
}

bool good_pull_works(comm_stage& stage) {
  return comm_stage::sentence(stage.pull(stage.offer_of(some_source()))) == "ok";
}

std::vector<std::byte> random_bytes(std::size_t size, unsigned seed) {
  return random_layers({size}, seed).front();
}

std::optional<refusal_reason> refused(raw_peer& peer) {
  const auto header = peer.hear();
  if (!header || header->kind != frame_kind::refusal) return std::nullopt;
  return decode_refusal(peer.payload)->reason;
}

std::optional<failure> failed_start(data_server_options options) {
  offer_board board;
  const auto server = data_server::make(std::move(options), board);
  if (server.ok()) return std::nullopt;
  return server.error();
}

}  // namespace

TEST_CASE("a wrong ticket, transfer or peer is told so", "[gpu][comm][data_server]") {
  const auto how = GENERATE(transport::tls, transport::bare, transport::socket, transport::ring);
  INFO(name_of(how));
  comm_stage stage(how);
  auto order = stage.offer_of(some_source());
  std::string sentence;
  SECTION("ticket") {
    order.offer = *draw_ticket();
    sentence = "unavailable: nothing is offered";
  }
  SECTION("transfer") {
    order.transfer.generation = order.transfer.generation.next();
    sentence = "rejected: the ticket belongs to another transfer";
  }
  SECTION("peer") {
    const auto now = stage.now();
    order.offer = *draw_ticket();
    REQUIRE(
        stage.board.post({order.offer, order.transfer, some_source(), "combine-2", now + 1h}, now)
            .ok());
    sentence = "rejected: the offer is for another node";
  }
  CHECK(says(comm_stage::sentence(stage.pull(order)), sentence));
  CHECK(stage.server->counters().started == 0);
  CHECK(good_pull_works(stage));
}

TEST_CASE("without the authority's certificate nobody gets in", "[gpu][comm][data_server]") {
  comm_stage stage(transport::tls);
  certificates others;
  data_client_options options;
  options.identity = others.identity("combine-1");
  auto files = others.sign("combine-1");
  files.authority = stage.made.folder() + "/authority.pem";
  // A stranger distrusts the server; one who lies about its own authority is distrusted by it.
  SECTION("two strangers") {}
  SECTION("a foreign certificate") { options.identity = *tls_identity::load(files); }
  data_client stranger(options);
  const auto sink = std::make_shared<recording_sink>();
  REQUIRE(stranger.pull(stage.offer_of(some_source()), sink).ok());
  CHECK(comm_stage::sentence(sink) != "ok");
  CHECK(sink->layers().empty());
  CHECK(comes_true(
      [&] { return stage.server->counters().refused_by(refusal_reason::not_admitted) == 1; }));
  CHECK(good_pull_works(stage));
}

TEST_CASE("a server of another name than was said is left", "[gpu][comm][data_server]") {
  comm_stage stage(transport::tls);
  auto order = stage.offer_of(some_source());
  order.endpoint.node = "scatter-2";
  CHECK(says(comm_stage::sentence(stage.pull(order)), "names \"scatter-1\" and not \"scatter-2\""));
  CHECK(stage.server->counters().started == 0);
}

TEST_CASE("an unencrypted connection needs a token, once", "[gpu][comm][data_server]") {
  comm_stage stage(transport::bare);
  const auto first = stage.offer_of(some_source());
  CHECK(comm_stage::sentence(stage.pull(first)) == "ok");
  auto again = stage.offer_of(some_source());
  SECTION("spent") { again.endpoint.connection_token = first.endpoint.connection_token; }
  SECTION("none") { again.endpoint.connection_token = transfer_ticket(); }
  SECTION("too old") { stage.pass(1min); }
  CHECK(says(comm_stage::sentence(stage.pull(again)), "unavailable: the connection ended"));
  CHECK(stage.server->counters().refused_by(refusal_reason::not_admitted) == 1);
  CHECK(good_pull_works(stage));
}

TEST_CASE("options that are wrong or not safe stop the start", "[gpu][comm][data_server]") {
  certificates made;
  data_server_options options;
  CHECK(says(failed_start(options)->message, "needs an address or a path"));
  options.address = "127.0.0.1";
  CHECK(says(failed_start(options)->message, "no certificate"));
  options.encrypt = false;
  CHECK_FALSE(failed_start(options));
  options.address = "0.0.0.0";
  options.open_networks = {"0.0.0.0/0"};
  CHECK(says(failed_start(options)->message, "may not go unencrypted"));
  options.open_networks = {"lan"};
  CHECK(says(failed_start(options)->message, "is not a network"));
  options.encrypt = true;
  options.identity = made.identity("scatter-1");
  options.address = "localhost";
  CHECK(says(failed_start(options)->message, "not a numeric address"));
}

TEST_CASE("a taken port or path is told", "[gpu][comm][data_server]") {
  const auto how = GENERATE(transport::bare, transport::socket);
  comm_stage stage(how);
  data_server_options options;
  options.encrypt = false;
  if (how == transport::bare)
    options.address = "127.0.0.1";
  else
    options.local_path = stage.path();
  options.port = stage.server->port();
  const auto no = failed_start(options);
  REQUIRE(no);
  CHECK(no->kind == failure_kind::unavailable);
  CHECK(good_pull_works(stage));
}

TEST_CASE("the socket's path is this user's only, replaces a dead one, and is removed",
          "[gpu][comm][data_server]") {
  certificates folder;
  data_server_options options;
  options.local_path = folder.folder() + "/data.sock";
  {
    // Bound by a process that went without removing it.
    sockaddr_un place{};
    place.sun_family = AF_UNIX;
    options.local_path.copy(place.sun_path, sizeof place.sun_path - 1);
    const descriptor dead(::socket(AF_UNIX, SOCK_STREAM, 0));
    REQUIRE(::bind(dead.number(), reinterpret_cast<const sockaddr*>(&place), sizeof place) == 0);
  }
  {
    offer_board board;
    const auto server = data_server::make(options, board);
    REQUIRE(server.ok());
    struct stat state {};
    REQUIRE(::stat(options.local_path.c_str(), &state) == 0);
    CHECK((state.st_mode & 0777) == 0600);
  }
  CHECK_FALSE(std::filesystem::exists(options.local_path));
  std::ofstream(options.local_path) << "a file of somebody's";
  CHECK(says(failed_start(options)->message, "is no socket"));
  CHECK(std::filesystem::exists(options.local_path));
  options.local_path = std::string(200, 'x');
  CHECK(says(failed_start(options)->message, "no length"));
}

TEST_CASE("random bytes harm nobody", "[gpu][comm][data_server]") {
  const auto how = GENERATE(transport::tls, transport::bare, transport::socket);
  INFO(name_of(how));
  comm_stage stage(how);
  for (unsigned seed = 0; seed < 30; ++seed) {
    auto peer = how == transport::socket ? raw_peer(stage.path()) : raw_peer(stage.server->port());
    REQUIRE(peer.connected());
    peer.send(random_bytes(1 + 300 * (seed % 7), seed));
    if (seed % 7 != 0) CHECK(peer.hears_hang_up());
  }
  CHECK(good_pull_works(stage));
  CHECK(comes_true([&] { return stage.server->connections() == 0; }));
}

TEST_CASE("silent and slow peers cannot keep the door", "[gpu][comm][data_server]") {
  const auto how = GENERATE(transport::tls, transport::bare, transport::socket);
  INFO(name_of(how));
  data_server_limits limits;
  limits.strangers_max = 8;
  limits.admission_max = 60s;  // So that it is the bound which helps, not the deadline.
  comm_stage stage(how, limits);
  std::vector<raw_peer> peers;
  for (int count = 0; count < 40; ++count) {
    peers.push_back(how == transport::socket ? raw_peer(stage.path())
                                             : raw_peer(stage.server->port()));
    peers.back().send(random_bytes(count % 3, 1));
  }
  CHECK(peers.front().hears_hang_up());
  CHECK(good_pull_works(stage));
  CHECK(comes_true([&] { return stage.server->connections() <= 8; }));
}

TEST_CASE("who trickles is cut off by the admission deadline", "[gpu][comm][data_server]") {
  data_server_limits limits;
  limits.admission_max = 100ms;
  comm_stage stage(transport::socket, limits);
  raw_peer peer(stage.path());
  REQUIRE(peer.send(frame_kind::hello, encode(hello_body{{}, "combine-1"})));
  const auto half = std::vector<std::byte>(frame_header_bytes / 2);
  REQUIRE(peer.send(half));
  CHECK(peer.hears_hang_up());
  CHECK(stage.server->counters().refused_by(refusal_reason::timed_out) == 1);
}

TEST_CASE("connections beyond the bound are turned away, the others go on",
          "[gpu][comm][data_server]") {
  data_server_limits limits;
  limits.connections_max = 2;
  comm_stage stage(transport::socket, limits);
  const auto source = std::make_shared<growing_source>(random_layers({10, 10}, 1), 1);
  const auto order = stage.offer_of(source);
  const auto first = stage.pull(order), second = stage.pull(stage.offer_of(source));
  REQUIRE(first->wait_for_layers(1));
  REQUIRE(second->wait_for_layers(1));
  CHECK(says(comm_stage::sentence(stage.pull(stage.offer_of(source))), "unavailable"));
  CHECK(stage.server->counters().refused_by(refusal_reason::busy) == 1);
  source->grow(2);
  stage.board.advanced(order.offer);
  CHECK(comm_stage::sentence(first) == "ok");
}

TEST_CASE("what breaks the protocol ends the connection", "[gpu][comm][data_server]") {
  comm_stage stage(transport::socket);
  const auto order = stage.offer_of(std::make_shared<growing_source>(random_layers({10}, 1), 0));
  raw_peer peer(stage.path());
  const auto hello = encode(hello_body{{}, "combine-1"});
  pull_body body;
  body.offer = order.offer;
  body.credit_bytes = 100;
  SECTION("a pull before the hello") { peer.send(frame_kind::pull, encode(body), order.transfer); }
  SECTION("two hellos") {
    peer.send(frame_kind::hello, hello);
    peer.send(frame_kind::hello, hello);
  }
  SECTION("a pull inside a pull") {
    peer.send(frame_kind::hello, hello);
    peer.send(frame_kind::pull, encode(body), order.transfer);
    peer.send(frame_kind::pull, encode(body), order.transfer);
  }
  SECTION("credit without end") {
    peer.send(frame_kind::hello, hello);
    peer.send(frame_kind::pull, encode(body), order.transfer);
    peer.send(frame_kind::credit, encode_credit(1ull << 40), order.transfer);
  }
  SECTION("a frame of the sender's") {
    peer.send(frame_kind::hello, hello);
    peer.send(frame_kind::end, {});
  }
  CHECK(peer.hears_hang_up());
  CHECK(comes_true([&] { return stage.board.counts().pulls == 0; }));
  CHECK(good_pull_works(stage));
}

TEST_CASE("a pull that asks too much is refused", "[gpu][comm][data_server]") {
  comm_stage stage(transport::socket);
  const auto order = stage.offer_of(some_source());
  raw_peer peer(stage.path());
  peer.send(frame_kind::hello, encode(hello_body{{}, "combine-1"}));
  pull_body body;
  body.offer = order.offer;
  SECTION("endless credit") { body.credit_bytes = ~0ull; }
  SECTION("an endless ring") {
    body.credit_bytes = ~0ull;
    body.ring = true;
  }
  SECTION("a ring that did not come") {
    body.credit_bytes = 4096;
    body.ring = true;
  }
  peer.send(frame_kind::pull, encode(body), order.transfer);
  CHECK(refused(peer) == refusal_reason::malformed);
}

TEST_CASE("pulls follow one another on a connection, up to a bound", "[gpu][comm][data_server]") {
  data_server_limits limits;
  limits.pulls_per_connection_max = 2;
  comm_stage stage(transport::socket, limits);
  raw_peer peer(stage.path());
  peer.send(frame_kind::hello, encode(hello_body{{}, "combine-1"}));
  for (int round = 0; round < 3; ++round) {
    const auto order = stage.offer_of(std::make_shared<growing_source>(random_layers({9}, 8)));
    peer.send(frame_kind::pull, encode(pull_body{order.offer, 0, 100, false}), order.transfer);
    if (round == 2) break;
    const auto data = peer.hear();
    REQUIRE(data);
    CHECK(data->transfer == order.transfer);
    CHECK(peer.payload == random_layers({9}, 8).front());
    const auto end = peer.hear();
    REQUIRE(end);
    CHECK(end->kind == frame_kind::end);
  }
  CHECK(peer.hears_hang_up());
}

TEST_CASE("a connection uses a ticket once, another may come again", "[gpu][comm][data_server]") {
  comm_stage stage(transport::socket);
  const auto order = stage.offer_of(std::make_shared<growing_source>(random_layers({9}, 8)));
  raw_peer peer(stage.path());
  peer.send(frame_kind::hello, encode(hello_body{{}, "combine-1"}));
  const auto body = encode(pull_body{order.offer, 0, 100, false});
  peer.send(frame_kind::pull, body, order.transfer);
  REQUIRE(peer.hear());
  REQUIRE(peer.hear()->kind == frame_kind::end);
  peer.send(frame_kind::pull, body, order.transfer);
  CHECK(refused(peer) == refusal_reason::unknown_ticket);
  CHECK(comm_stage::sentence(stage.pull(order)) == "ok");
}

TEST_CASE("a receiver that neither reads nor grants is told so and cut off",
          "[gpu][comm][data_server]") {
  data_server_limits limits;
  limits.idle_max = 100ms;
  comm_stage stage(transport::socket, limits);
  const auto order = stage.offer_of(some_source());
  raw_peer peer(stage.path());
  peer.send(frame_kind::hello, encode(hello_body{{}, "combine-1"}));
  peer.send(frame_kind::pull, encode(pull_body{order.offer, 0, 100, false}), order.transfer);
  REQUIRE(peer.hear());
  CHECK(refused(peer) == refusal_reason::timed_out);
  CHECK(peer.hears_hang_up());
  CHECK(comes_true([&] { return stage.board.counts().pulls == 0; }));
}

TEST_CASE("a transfer that takes too long is ended by the server", "[gpu][comm][data_server]") {
  data_server_limits limits;
  limits.transfer_max = 100ms;
  comm_stage stage(transport::ring, limits);
  const auto stuck = std::make_shared<growing_source>(random_layers({10}, 1), 0);
  CHECK(says(comm_stage::sentence(stage.pull(stage.offer_of(stuck))), "took too long"));
  CHECK(good_pull_works(stage));
}

}  // namespace weft::gpu::comm
