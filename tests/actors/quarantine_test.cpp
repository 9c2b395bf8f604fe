#include "actors/session/quarantine.hpp"

#include <catch2/catch.hpp>

namespace weft::actors {
namespace {

messages::entry_key numbered(std::size_t name) {
  messages::entry_key key;
  key.bytes[0] = static_cast<std::byte>(name);
  key.bytes[1] = static_cast<std::byte>(name >> 8);
  return key;
}

std::int64_t count_of(const quarantine& from, quarantine_reason why) {
  return from.counts()[static_cast<std::size_t>(why)];
}

}  // namespace

TEST_CASE("bad entries are counted in a row by key and in all by reason", "[actors][quarantine]") {
  quarantine bad;
  CHECK(bad.condemn(numbered(1), quarantine_reason::damaged) == 1);
  CHECK(bad.condemn(numbered(2), quarantine_reason::made) == 1);
  CHECK(bad.condemn(numbered(1), quarantine_reason::made) == 2);
  bad.suspect();
  CHECK(count_of(bad, quarantine_reason::damaged) == 1);
  CHECK(count_of(bad, quarantine_reason::made) == 2);
  CHECK(count_of(bad, quarantine_reason::suspected) == 1);
}

TEST_CASE("an answer starts the row of its key over and leaves the counts",
          "[actors][quarantine]") {
  quarantine bad;
  bad.condemn(numbered(1), quarantine_reason::made);
  bad.condemn(numbered(2), quarantine_reason::made);
  bad.acquit(numbered(1));
  bad.acquit(numbered(7));
  CHECK(bad.condemn(numbered(1), quarantine_reason::made) == 1);
  CHECK(bad.condemn(numbered(2), quarantine_reason::made) == 2);
  CHECK(count_of(bad, quarantine_reason::made) == 4);
}

TEST_CASE("the list is bounded and forgets the key that is longest in it", "[actors][quarantine]") {
  quarantine bad;
  for (std::size_t name = 0; name <= quarantine::keys_max; ++name)
    bad.condemn(numbered(name), quarantine_reason::made);
  CHECK(bad.keys() == quarantine::keys_max);
  CHECK(bad.condemn(numbered(1), quarantine_reason::made) == 2);
  CHECK(bad.condemn(numbered(0), quarantine_reason::made) == 1);
}

}  // namespace weft::actors
