#include "gpu/comm/data_client.hpp"

#include <catch2/catch.hpp>

#include "gpu/comm/frame.hpp"
#include "tests/gpu/comm_stage.hpp"

namespace weft::gpu::comm {
namespace {

using namespace std::chrono_literals;

transport any_transport() {
  return GENERATE(transport::tls, transport::bare, transport::socket, transport::ring);
}

std::size_t entries_of(const char* folder) {
  const auto all = std::filesystem::directory_iterator(folder);
  return static_cast<std::size_t>(std::distance(begin(all), end(all)));
}

}  // namespace

TEST_CASE("every transport brings the same bytes, odd sizes and many transfers at once",
          "[gpu][comm][data_client]") {
  const auto how = any_transport();
  INFO(name_of(how));
  comm_stage stage(how);
  const std::vector<std::size_t> sizes = {1, 0, 3, 262'143, 262'144, 262'145, 0, 1'300'003, 7};
  std::vector<layer_contents> contents;
  std::vector<std::shared_ptr<recording_sink>> sinks;
  for (unsigned seed = 0; seed < 12; ++seed) {
    contents.push_back(random_layers(sizes, seed));
    sinks.push_back(stage.pull(stage.offer_of(std::make_shared<growing_source>(contents.back()))));
  }
  for (std::size_t index = 0; index < sinks.size(); ++index) {
    CHECK(comm_stage::sentence(sinks[index]) == "ok");
    CHECK(sinks[index]->layers() == contents[index]);
  }
  CHECK(stage.comes_to_rest());
  CHECK(stage.client->counters().completed == 12);
  CHECK(stage.client->counters().layers == 12 * sizes.size());
  CHECK(comes_true([&] { return stage.server->counters().completed == 12; }));
  CHECK(stage.server->counters().bytes == stage.client->counters().bytes);
}

TEST_CASE("a layer is delivered before the source has the next", "[gpu][comm][data_client]") {
  const auto how = any_transport();
  INFO(name_of(how));
  comm_stage stage(how);
  const auto contents = random_layers({500'000, 10, 20}, 1);
  const auto source = std::make_shared<growing_source>(contents, 0);
  const auto order = stage.offer_of(source);
  const auto sink = stage.pull(order);
  for (std::uint32_t ready = 1; ready <= 3; ++ready) {
    source->grow(ready);
    stage.board.advanced(order.offer);
    REQUIRE(sink->wait_for_layers(ready));
    CHECK(sink->layers().size() == ready);
  }
  CHECK(comm_stage::sentence(sink) == "ok");
  CHECK(sink->layers() == contents);
}

TEST_CASE("a pull may begin at a later layer", "[gpu][comm][data_client]") {
  comm_stage stage(any_transport());
  const auto contents = random_layers({100, 200, 300}, 2);
  auto order = stage.offer_of(std::make_shared<growing_source>(contents));
  order.first_layer = 2;
  const auto sink = stage.pull(order);
  CHECK(comm_stage::sentence(sink) == "ok");
  CHECK(sink->layers() == layer_contents{contents[2]});
}

TEST_CASE("a receiver that pauses stops the sender within its credit", "[gpu][comm][data_client]") {
  const auto how = any_transport();
  INFO(name_of(how));
  data_client_options options;
  options.credit_bytes = 300'000;
  comm_stage stage(how, {}, options);
  const auto contents = random_layers({5'000'000}, 3);
  const auto sink = stage.pull(stage.offer_of(std::make_shared<growing_source>(contents)), 1);
  REQUIRE(sink->wait_for_parts(1));
  REQUIRE(comes_true([&] { return stage.server->counters().bytes == 300'000; }));
  std::this_thread::sleep_for(30ms);
  CHECK(stage.server->counters().bytes == 300'000);
  CHECK_FALSE(sink->has_ended());
  stage.last.resume();
  CHECK(comm_stage::sentence(sink) == "ok");
  CHECK(sink->layers() == contents);
}

TEST_CASE("a cancelled pull ends at once and gives everything back", "[gpu][comm][data_client]") {
  const auto how = any_transport();
  INFO(name_of(how));
  comm_stage stage(how);
  const auto source = std::make_shared<growing_source>(random_layers({500'000, 10}, 4), 1);
  const auto sink = stage.pull(stage.offer_of(source));
  REQUIRE(sink->wait_for_layers(1));
  stage.last.cancel();
  CHECK(says(comm_stage::sentence(sink), "cancelled"));
  CHECK(stage.comes_to_rest());
  CHECK(stage.client->counters().failed_by(refusal_reason::cancelled) == 1);
  CHECK(stage.server->counters().failed_by(refusal_reason::cancelled) == 1);
}

TEST_CASE("withdrawal, expiry and failure reach the receiver with their reason",
          "[gpu][comm][data_client]") {
  const auto how = any_transport();
  INFO(name_of(how));
  comm_stage stage(how);
  const auto source = std::make_shared<growing_source>(random_layers({500'000, 10}, 4), 1);
  const auto order = stage.offer_of(source);
  const auto sink = stage.pull(order);
  REQUIRE(sink->wait_for_layers(1));
  std::string sentence;
  SECTION("withdrawn") {
    stage.board.withdraw(order.offer);
    sentence = "unavailable: the offer was withdrawn";
  }
  SECTION("expired") {
    stage.pass(2h);
    sentence = "unavailable: the offer's lease ran out";
  }
  SECTION("failed") {
    source->fail("the device gave way");
    stage.board.advanced(order.offer);
    sentence = "unavailable: the device gave way";
  }
  CHECK(says(comm_stage::sentence(sink), sentence));
  CHECK(stage.comes_to_rest());
  CHECK(stage.client->counters().started == 1);
  CHECK(stage.client->counters().completed == 0);
}

TEST_CASE("a deadline ends a pull whose layers do not come", "[gpu][comm][data_client]") {
  comm_stage stage(any_transport());
  auto order = stage.offer_of(std::make_shared<growing_source>(random_layers({10}, 1), 0));
  order.deadline = 50ms;
  CHECK(says(comm_stage::sentence(stage.pull(order)), "unavailable: the transfer's deadline"));
  CHECK(stage.comes_to_rest());
}

TEST_CASE("staging that was given up is quarantined until the sender has stopped",
          "[gpu][comm][data_client]") {
  const auto how = any_transport();
  INFO(name_of(how));
  data_client_options options;
  options.credit_bytes = 1'000'000;
  comm_stage stage(how, {}, options);
  // The second layer's frame is held back, so the sender cannot know of the cancel in time.
  REQUIRE(stage.server->arm_fault("delay:layer:2:2500").ok());
  const auto sink =
      stage.pull(stage.offer_of(std::make_shared<growing_source>(random_layers({500, 400}, 5))));
  REQUIRE(sink->wait_for_layers(1));
  const auto bytes = how == transport::ring ? 1'000'000u : frame_payload_bytes_max;
  CHECK(stage.client->staging().in_flight == bytes);
  stage.last.cancel();
  CHECK(says(comm_stage::sentence(sink), "cancelled"));
  const auto staging = stage.client->staging();
  CHECK(staging.quarantined == bytes);
  CHECK(staging.in_flight == 0);
  CHECK(staging.free == staging.total - bytes);
  CHECK(stage.comes_to_rest());
  CHECK(stage.client->counters().late == 1);
  CHECK(sink->layers().size() == 1);
}

TEST_CASE("a byte that was turned over on the way is found", "[gpu][comm][data_client]") {
  const auto how = any_transport();
  INFO(name_of(how));
  comm_stage stage(how);
  REQUIRE(stage.server->arm_fault("flip:frame:2").ok());
  const auto source = std::make_shared<growing_source>(random_layers({500, 400, 300}, 5));
  const auto sink = stage.pull(stage.offer_of(source));
  CHECK(says(comm_stage::sentence(sink), "a checksum did not fit"));
  CHECK(sink->layers().size() == 1);
  CHECK(stage.client->counters().failed_by(refusal_reason::damaged) == 1);
  CHECK(stage.comes_to_rest());
}

TEST_CASE("a frame that is lost is missed, a transfer that fails is told",
          "[gpu][comm][data_client]") {
  comm_stage stage(any_transport());
  const auto source = std::make_shared<growing_source>(random_layers({500, 400, 300}, 5));
  const auto pulled = [&](const char* fault) {
    REQUIRE(stage.server->arm_fault(fault).ok());
    return comm_stage::sentence(stage.pull(stage.offer_of(source)));
  };
  CHECK(says(pulled("drop:layer:2"), "skipped or repeated"));
  CHECK(stage.comes_to_rest());
  CHECK(says(pulled("fail:frame:4"), "fails on order"));
  CHECK(stage.comes_to_rest());
}

TEST_CASE("full staging and too many pulls are answered at once", "[gpu][comm][data_client]") {
  data_client_options options;
  const auto source = std::make_shared<growing_source>(random_layers({10}, 1), 0);
  SECTION("staging") { options.staging_bytes_max = 2 * options.credit_bytes; }
  SECTION("pulls") { options.pulls_max = 2; }
  comm_stage stage(transport::ring, {}, options);
  const auto first = stage.pull(stage.offer_of(source));
  const auto second = stage.pull(stage.offer_of(source));
  const auto sink = std::make_shared<recording_sink>();
  const auto third = stage.client->pull(stage.offer_of(source), sink);
  REQUIRE_FALSE(third.ok());
  CHECK(third.error().kind == failure_kind::overloaded);
  CHECK_FALSE(sink->has_ended());
  stage.last.cancel();
  REQUIRE(second->wait_for_end());
  REQUIRE(comes_true([&] { return stage.client->pulls() == 1; }));
  CHECK(stage.client->pull(stage.offer_of(source), sink).ok());
}

TEST_CASE("a client that closes cancels what it pulls", "[gpu][comm][data_client]") {
  comm_stage stage(any_transport());
  const auto source = std::make_shared<growing_source>(random_layers({10, 10}, 1), 1);
  const auto sink = stage.pull(stage.offer_of(source));
  REQUIRE(sink->wait_for_layers(1));
  stage.client.reset();
  REQUIRE(sink->has_ended());
  CHECK(says(comm_stage::sentence(sink), "cancelled"));
  CHECK(comes_true([&] { return stage.board.counts().pulls == 0; }));
  stage.client = std::make_unique<data_client>(data_client_options{});
}

TEST_CASE("a server that closes is noticed", "[gpu][comm][data_client]") {
  comm_stage stage(any_transport());
  const auto source = std::make_shared<growing_source>(random_layers({10, 10}, 1), 1);
  const auto sink = stage.pull(stage.offer_of(source));
  REQUIRE(sink->wait_for_layers(1));
  stage.server.reset();
  CHECK(says(comm_stage::sentence(sink), "unavailable: the connection ended"));
}

TEST_CASE("where nobody listens a pull ends unavailable", "[gpu][comm][data_client]") {
  comm_stage stage(any_transport());
  const auto order = stage.offer_of(std::make_shared<growing_source>(random_layers({10}, 1)));
  stage.server.reset();
  CHECK(says(comm_stage::sentence(stage.pull(order)), "unavailable: no data server there"));
  auto nowhere = order;
  nowhere.endpoint.local_path = std::string(500, 'x');
  CHECK(says(comm_stage::sentence(stage.pull(nowhere)), "unavailable"));
}

TEST_CASE("an encrypted endpoint needs a certificate", "[gpu][comm][data_client]") {
  data_client client(data_client_options{});
  pull_order order;
  order.endpoint.address = "127.0.0.1";
  const auto none = client.pull(order, std::make_shared<recording_sink>());
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().kind == failure_kind::rejected);
}

TEST_CASE("no thread and no file descriptor is left afterwards", "[gpu][comm][data_client]") {
  const auto how = any_transport();
  INFO(name_of(how));
  const auto files = entries_of("/proc/self/fd");
  const auto threads = entries_of("/proc/self/task");
  {
    comm_stage stage(how);
    const auto whole = std::make_shared<growing_source>(random_layers({500'000, 10}, 4));
    const auto stuck = std::make_shared<growing_source>(random_layers({500'000, 10}, 4), 1);
    for (int round = 0; round < 5; ++round) {
      CHECK(comm_stage::sentence(stage.pull(stage.offer_of(whole))) == "ok");
      const auto sink = stage.pull(stage.offer_of(stuck));
      REQUIRE(sink->wait_for_layers(1));
      stage.last.cancel();
    }
    CHECK(stage.comes_to_rest());
    CHECK(comes_true([&] { return stage.server->connections() == 0; }));
    const auto still_running = stage.pull(stage.offer_of(stuck));
    REQUIRE(still_running->wait_for_layers(1));
  }
  CHECK(entries_of("/proc/self/fd") == files);
  // A joined thread leaves the list a moment later.
  CHECK(comes_true([&] { return entries_of("/proc/self/task") == threads; }));
}

}  // namespace weft::gpu::comm
