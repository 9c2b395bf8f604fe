#include "gpu/door/futex.hpp"

#include <chrono>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace weft::gpu {

TEST_CASE("a number that changed already lets nobody sleep", "[gpu][futex]") {
  std::atomic<std::uint32_t> word{7};
  sleep_while(word, 6);
  CHECK(word == 7);
}

TEST_CASE("all sleepers wake when their number changes", "[gpu][futex]") {
  std::atomic<std::uint32_t> word{0};
  std::atomic<int> awake{0};
  std::vector<std::thread> sleepers;
  for (int i = 0; i < 3; ++i)
    sleepers.emplace_back([&] {
      for (std::uint32_t turn = 0; turn < 100; ++turn) {
        sleep_while(word, turn);
        ++awake;
        // The next turn comes when all three are through with this one.
        while (word.load() == turn) std::this_thread::yield();
      }
    });
  for (std::uint32_t turn = 0; turn < 100; ++turn) {
    if (turn % 10 == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    word.store(turn + 1);
    wake_sleepers(word);
    while (awake.load() < 3 * static_cast<int>(turn + 1)) std::this_thread::yield();
  }
  for (std::thread& each : sleepers) each.join();
  CHECK(awake == 300);
}

TEST_CASE("waking where the number is the same wakes nobody for good", "[gpu][futex]") {
  std::atomic<std::uint32_t> word{0};
  std::atomic<bool> through{false};
  std::thread sleeper([&] {
    sleep_while(word, 0);
    through = true;
  });
  for (int i = 0; i < 50; ++i) {
    wake_sleepers(word);
    std::this_thread::yield();
  }
  CHECK_FALSE(through);
  word = 1;
  wake_sleepers(word);
  sleeper.join();
  CHECK(through);
}

}  // namespace weft::gpu
