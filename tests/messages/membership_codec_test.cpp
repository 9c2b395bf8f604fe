#include "messages/wire/membership_codec.hpp"

#include <catch2/catch.hpp>

#include "messages/wire/bounds.hpp"
#include "messages/wire/membership.capnp.h"
#include "tests/messages/wire_rewrite.hpp"
#include "tests/messages/wire_samples.hpp"

namespace weft::messages::membership {

namespace {

using Catch::Matchers::Contains;
using root = schema::Membership::Builder;

template <class Change>
std::string refusal_after(std::string_view sample, const Change& change) {
  return test::refusal_in(
      decode(test::rewritten<schema::Membership>(test::packed_sample(sample), change)));
}

}  // namespace

TEST_CASE("roles, reasons and states that this build does not know are refused by field",
          "[messages][membership_codec]") {
  CHECK_THAT(refusal_after("membership.hello",
                           [](root what) {
                             what.getHello().getRoles().set(1, test::unknown<schema::Role>());
                           }),
             Contains("hello.roles is 999, which this build does not know"));
  CHECK_THAT(refusal_after("membership.goodbye",
                           [](root what) {
                             what.getGoodbye().setReason(test::unknown<schema::GoodbyeReason>());
                           }),
             Contains("goodbye.reason is 999"));
  CHECK_THAT(refusal_after("membership.status_report",
                           [](root what) {
                             auto node = what.getStatusReport().getNodes()[1];
                             node.getPeers()[0].setState(test::unknown<schema::PeerState>());
                           }),
             Contains("statusReport.nodes.peers.state is 999"));
  CHECK_THAT(refusal_after("membership.status_report",
                           [](root what) {
                             auto node = what.getStatusReport().getNodes()[0];
                             node.getRoles().set(0, test::unknown<schema::Role>());
                           }),
             Contains("statusReport.nodes.roles is 999"));
}

TEST_CASE("every reason, state and role comes back", "[messages][membership_codec]") {
  for (const auto reason :
       {goodbye_reason::drained, goodbye_reason::stopped, goodbye_reason::broken}) {
    const message said = goodbye{.node = test::life_of("w1"), .reason = reason};
    CHECK(*decode(*encode(said)) == said);
  }
  node_status node{.node = test::life_of("w1")};
  for (const auto state : {peer_state::joining, peer_state::alive, peer_state::suspected,
                           peer_state::draining, peer_state::gone})
    node.peers.push_back({.node = test::life_of("w2"), .state = state});
  const message report = status_report{.number = 1, .nodes = {node}};
  CHECK(*decode(*encode(report)) == report);
  for (const node_role role : all_roles) {
    hello one{.node = test::life_of("w1")};
    one.roles.add(role);
    CHECK(*decode(*encode(one)) == message(one));
  }
}

TEST_CASE("lists of roles, nodes and peers beyond their bounds are refused by field",
          "[messages][membership_codec]") {
  CHECK_THAT(refusal_after("membership.hello", [](root what) { what.getHello().initRoles(5); }),
             Contains("hello.roles has 5 items; at most 4"));
  CHECK_THAT(refusal_after("membership.status_report",
                           [](root what) { what.getStatusReport().initNodes(nodes_max + 1); }),
             Contains("statusReport.nodes has 1025 items"));
  CHECK_THAT(
      test::refusal_in(decode(test::written<schema::Membership>(
          schema_id::membership,
          [](root what) { what.initStatusReport().initNodes(2)[1].initPeers(peers_max + 1); }))),
      Contains("statusReport.nodes.peers has 65537 items"));
  // Each node's list is within bounds; together they are not.
  CHECK_THAT(test::refusal_in(decode(test::written<schema::Membership>(
                 schema_id::membership,
                 [](root what) {
                   auto nodes = what.initStatusReport().initNodes(2);
                   for (auto node : nodes) node.initPeers(peers_max / 2 + 1);
                 }))),
             Contains("statusReport.nodes.peers has 32769 items; at most 32767"));
}

TEST_CASE("names beyond their bounds are refused by field", "[messages][membership_codec]") {
  const std::string long_name(node_name_bytes_max + 1, 'n');
  CHECK_THAT(
      refusal_after("membership.drain",
                    [&](root what) { what.getDrain().getNode().setNode(long_name.c_str()); }),
      Contains("drain.node"));
  const std::string long_host(host_bytes_max + 1, 'h');
  CHECK_THAT(
      refusal_after("membership.hello",
                    [&](root what) { what.getHello().getControl().setHost(long_host.c_str()); }),
      Contains("hello.control"));
  CHECK_THAT(
      refusal_after("membership.hello", [](root what) { what.getHello().setNumericsId("\xFF"); }),
      Contains("hello.numericsId is not UTF-8"));
}

TEST_CASE("what is not said is empty, and an empty sender is refused",
          "[messages][membership_codec]") {
  const auto nothing = test::written<schema::Membership>(schema_id::membership,
                                                         [](root what) { what.initHeartbeat(); });
  CHECK_THAT(test::refusal_in(decode(nothing)), Contains("heartbeat.node names no node"));
  const auto little = test::written<schema::Membership>(schema_id::membership, [](root what) {
    auto beat = what.initHeartbeat();
    beat.initNode().setNode("w1");
    beat.getNode().setLife(7);
    beat.setSequence(1);
  });
  const auto read = decode(little);
  REQUIRE(read.ok());
  CHECK(*read == message(heartbeat{.node = {{"w1"}, {7}}, .sequence = 1, .draining = false}));
}

}  // namespace weft::messages::membership
