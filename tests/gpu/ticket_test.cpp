#include "gpu/comm/ticket.hpp"

#include <set>

#include <catch2/catch.hpp>

namespace weft::gpu::comm {

TEST_CASE("a ticket survives its hexadecimal form", "[gpu][comm][ticket]") {
  const auto drawn = ticket::draw();
  REQUIRE(drawn.ok());
  const std::string text = drawn->hex();
  CHECK(text.size() == 64);
  const auto read = ticket::from_hex(text);
  REQUIRE(read);
  CHECK(*read == *drawn);
  CHECK(ticket::from_hex(std::string(63, 'a') + "F")->hex() == std::string(63, 'a') + "f");
}

TEST_CASE("no two tickets are alike, and a bit makes another", "[gpu][comm][ticket]") {
  std::set<std::string> seen;
  for (int count = 0; count < 1000; ++count) seen.insert(ticket::draw()->hex());
  CHECK(seen.size() == 1000);
  auto text = *seen.begin();
  const auto one = *ticket::from_hex(text);
  text.back() = text.back() == '0' ? '1' : '0';
  CHECK_FALSE(one == *ticket::from_hex(text));
  CHECK_FALSE(one == ticket());
}

TEST_CASE("what is no 64 digits is no ticket", "[gpu][comm][ticket]") {
  CHECK_FALSE(ticket::from_hex(""));
  CHECK_FALSE(ticket::from_hex(std::string(63, '0')));
  CHECK_FALSE(ticket::from_hex(std::string(65, '0')));
  CHECK_FALSE(ticket::from_hex(std::string(63, '0') + "g"));
}

}  // namespace weft::gpu::comm
