#include "gpu/comm/fault_hook.hpp"

#include <string>

#include <catch2/catch.hpp>

namespace weft::gpu::comm {

TEST_CASE("a fault strikes the frame or layer it names, once", "[gpu][comm][fault_hook]") {
  fault_hook hook;
  REQUIRE(hook.arm("flip:frame:3").ok());
  REQUIRE(hook.arm("delay:layer:2:70").ok());
  CHECK(hook.next(true).act == fault_act::none);
  CHECK(hook.next(false).act == fault_act::none);
  CHECK(hook.next(false).act == fault_act::flip);
  const auto second_layer = hook.next(true);
  CHECK(second_layer.act == fault_act::delay);
  CHECK(second_layer.delay == std::chrono::milliseconds(70));
  CHECK(hook.next(true).act == fault_act::none);
}

TEST_CASE("what is no fault is rejected", "[gpu][comm][fault_hook]") {
  fault_hook hook;
  for (const char* text : {"", "flip", "flip:frame", "flip:frame:0", "flip:frame:-1", "flip:byte:1",
                           "burn:frame:1", "flip:frame:1:5", "delay:frame:1", "delay:frame:1:x",
                           "delay:frame:1:9999999", "none:frame:1"}) {
    INFO(text);
    CHECK_FALSE(hook.arm(text).ok());
  }
}

TEST_CASE("faults on order are bounded", "[gpu][comm][fault_hook]") {
  fault_hook hook;
  int armed = 0;
  while (armed < 1000 && hook.arm("drop:frame:" + std::to_string(armed + 1)).ok()) ++armed;
  CHECK(armed == 64);
}

}  // namespace weft::gpu::comm
