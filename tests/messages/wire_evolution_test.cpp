// Nodes of two builds side by side: what one does not know does not keep it from reading the rest.
#include <catch2/catch.hpp>

#include "messages/wire/bounds.hpp"
#include "tests/messages/newer.capnp.h"
#include "tests/messages/wire_rewrite.hpp"
#include "tests/messages/wire_samples.hpp"

namespace weft::messages::test {

namespace {

using Catch::Matchers::Contains;

template <class Node>
void fill_node(Node node) {
  node.setNode("w1");
  node.setLife(7);
}

}  // namespace

TEST_CASE("a message with fields of a newer build is read without them",
          "[messages][wire_evolution]") {
  const envelope packed =
      written<newer::Membership>(schema_id::membership, [](newer::Membership::Builder root) {
        root.setNote("a field beside the union");
        root.setStamp(123456789);
        auto beat = root.initHeartbeat();
        fill_node(beat.initNode());
        beat.getNode().setRack("r12");
        beat.setSequence(5);
        beat.setDraining(true);
        beat.setHot(true);
        beat.setLoad(0.5);
        beat.initRemarks(2).set(1, "more");
      });
  const auto read = membership::decode(packed);
  INFO(refusal_in(read));
  REQUIRE(read.ok());
  const membership::heartbeat expected{.node = {{"w1"}, {7}}, .sequence = 5, .draining = true};
  CHECK(*read == membership::message(expected));
}

TEST_CASE("a message of an older build is read with defaults for what it lacks",
          "[messages][wire_evolution]") {
  const envelope packed = written<newer::OlderMembership>(schema_id::membership,
                                                          [](newer::OlderMembership::Builder root) {
                                                            auto beat = root.initHeartbeat();
                                                            fill_node(beat.initNode());
                                                            beat.setSequence(5);
                                                          });
  const auto read = membership::decode(packed);
  INFO(refusal_in(read));
  REQUIRE(read.ok());
  const membership::heartbeat expected{.node = {{"w1"}, {7}}, .sequence = 5, .draining = false};
  CHECK(*read == membership::message(expected));
}

TEST_CASE("a kind of message that this build does not know is refused as such",
          "[messages][wire_evolution]") {
  const envelope packed = written<newer::Membership>(
      schema_id::membership, [](newer::Membership::Builder root) { root.setFarewell("so long"); });
  CHECK_THAT(refusal_in(membership::decode(packed)),
             Contains("the message is of a kind that this build does not know"));
}

TEST_CASE("a list that claims half a billion items in no bytes takes no memory",
          "[messages][wire_evolution]") {
  const auto hollow = [](unsigned count) {
    return written<newer::HollowDirectory>(
        schema_id::directory,
        [&](newer::HollowDirectory::Builder root) { root.initSnapshot().initEntries(count); });
  };
  CHECK(hollow((1U << 29) - 1).bytes().size() < 256);
  for (const unsigned count : {(1U << 29) - 1, static_cast<unsigned>(entries_max)}) {
    CHECK_THAT(refusal_in(directory::decode(hollow(count))),
               Contains("directory: unreadable bytes: "));
  }
  // So few may be read, and each is asked for its key.
  CHECK_THAT(refusal_in(directory::decode(hollow(3))),
             Contains("snapshot.entries.key does not have 32 bytes"));
}

}  // namespace weft::messages::test
