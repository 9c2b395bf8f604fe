#include "messages/wire/directory_codec.hpp"

#include <catch2/catch.hpp>

#include "messages/wire/bounds.hpp"
#include "messages/wire/directory.capnp.h"
#include "tests/messages/wire_rewrite.hpp"
#include "tests/messages/wire_samples.hpp"

namespace weft::messages::directory {

namespace {

using Catch::Matchers::Contains;
using root = schema::Directory::Builder;

template <class Change>
std::string refusal_after(std::string_view sample, const Change& change) {
  return test::refusal_in(
      decode(test::rewritten<schema::Directory>(test::packed_sample(sample), change)));
}

}  // namespace

TEST_CASE("a change that this build does not know is refused by field",
          "[messages][directory_codec]") {
  CHECK_THAT(refusal_after("directory.entries_changed",
                           [](root what) {
                             what.getEntriesChanged().getEvents()[2].setChange(
                                 test::unknown<schema::EntryChange>());
                           }),
             Contains("entriesChanged.events.change is 999, which this build does not know"));
}

TEST_CASE("a key that is not 32 bytes is refused", "[messages][directory_codec]") {
  for (const unsigned size : {0U, 31U, 33U}) {
    CHECK_THAT(refusal_after("directory.snapshot",
                             [&](root what) { what.getSnapshot().getEntries()[1].initKey(size); }),
               Contains("snapshot.entries.key does not have 32 bytes"));
    CHECK_THAT(
        refusal_after("directory.entries_changed",
                      [&](root what) { what.getEntriesChanged().getEvents()[0].initKey(size); }),
        Contains("entriesChanged.events.key does not have 32 bytes"));
  }
}

TEST_CASE("lists of entries and events beyond their bounds are refused by field",
          "[messages][directory_codec]") {
  CHECK_THAT(refusal_after("directory.snapshot",
                           [](root what) { what.getSnapshot().initEntries(entries_max + 1); }),
             Contains("snapshot.entries has 32769 items; at most 32768"));
  CHECK_THAT(refusal_after("directory.entries_changed",
                           [](root what) { what.getEntriesChanged().initEvents(entries_max + 1); }),
             Contains("entriesChanged.events has 32769 items"));
}

TEST_CASE("sizes beyond their bounds are refused", "[messages][directory_codec]") {
  for (const std::uint64_t bytes : {(std::uint64_t{1} << 48) + 1, ~std::uint64_t{0}}) {
    CHECK_THAT(
        refusal_after("directory.snapshot",
                      [&](root what) { what.getSnapshot().getEntries()[0].setBytes(bytes); }),
        Contains("snapshot.entries is "));
  }
}

TEST_CASE("the longest snapshot fits an envelope", "[messages][directory_codec]") {
  snapshot all{.worker = test::life_of("w1"), .sequence = 1};
  all.worker.node.text = std::string(node_name_bytes_max, 'w');
  for (std::size_t i = 0; i < entries_max; ++i)
    all.entries.push_back({.key = test::key_from(1), .tokens = 1, .bytes = 1});
  const auto packed = encode(all);
  REQUIRE(packed.ok());
  const auto read = decode(*packed);
  REQUIRE(read.ok());
  CHECK(*read == message(all));
}

}  // namespace weft::messages::directory
