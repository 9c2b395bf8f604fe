#include "gpu/comm/network_list.hpp"

#include <catch2/catch.hpp>

namespace weft::gpu::comm {

TEST_CASE("loopback is always open, all addresses never", "[gpu][comm][network_list]") {
  const network_list list;
  CHECK(list.contains("127.0.0.1"));
  CHECK(list.contains("127.9.9.9"));
  CHECK(list.contains("::1"));
  CHECK_FALSE(list.contains("10.1.2.3"));
  CHECK_FALSE(network_list::make({"0.0.0.0/0"})->contains("0.0.0.0"));
  CHECK_FALSE(list.contains("::"));
  CHECK_FALSE(list.contains("localhost"));
  CHECK_FALSE(list.contains(""));
}

TEST_CASE("a network holds its addresses to the first and last", "[gpu][comm][network_list]") {
  const auto list = network_list::make({"10.1.3.0/23", "fd00:1::/64", "192.168.7.7/32"});
  REQUIRE(list.ok());
  CHECK(list->contains("10.1.2.0"));
  CHECK(list->contains("10.1.3.255"));
  CHECK_FALSE(list->contains("10.1.4.0"));
  CHECK_FALSE(list->contains("10.1.1.255"));
  CHECK(list->contains("fd00:1::7"));
  CHECK_FALSE(list->contains("fd00:2::7"));
  CHECK(list->contains("192.168.7.7"));
  CHECK_FALSE(list->contains("192.168.7.8"));
}

TEST_CASE("what is no network is rejected by name", "[gpu][comm][network_list]") {
  for (const char* text : {"", "10.1.0.0", "10.1.0.0/33", "lan/8", "fd00::/129"}) {
    const auto list = network_list::make({"10.0.0.0/8", text});
    INFO(text);
    REQUIRE_FALSE(list.ok());
    CHECK(list.error().message.find(text) != std::string::npos);
  }
}

}  // namespace weft::gpu::comm
