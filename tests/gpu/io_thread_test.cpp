#include "gpu/comm/io_thread.hpp"

#include <atomic>
#include <future>
#include <thread>
#include <vector>

#include <catch2/catch.hpp>

namespace weft::gpu::comm {

using namespace std::chrono_literals;

TEST_CASE("tasks run in order on one thread that is not the caller's", "[gpu][comm][io_thread]") {
  io_thread io;
  std::vector<int> order;
  std::thread::id where;
  io.post([&] { order.push_back(1); });
  io.post([&] { order.push_back(2); });
  io.run([&] {
    order.push_back(3);
    where = std::this_thread::get_id();
  });
  CHECK(order == std::vector{1, 2, 3});
  CHECK(where != std::this_thread::get_id());
}

TEST_CASE("a timer calls once, unless it was cancelled or started anew", "[gpu][comm][io_thread]") {
  io_thread io;
  std::unique_ptr<io_timer> cancelled, replaced, dropped;
  std::promise<void> rang;
  std::atomic<int> wrong = 0;
  io.run([&] {
    cancelled = std::make_unique<io_timer>(io);
    cancelled->start(1ms, [&] { ++wrong; });
    cancelled->cancel();
    dropped = std::make_unique<io_timer>(io);
    dropped->start(1ms, [&] { ++wrong; });
    dropped.reset();
    replaced = std::make_unique<io_timer>(io);
    replaced->start(1ms, [&] { ++wrong; });
    replaced->start(20ms, [&] { rang.set_value(); });
  });
  rang.get_future().wait();
  io.run([&] {
    cancelled.reset();
    replaced.reset();
  });
  CHECK(wrong == 0);
}

TEST_CASE("a stopped thread runs nothing more", "[gpu][comm][io_thread]") {
  std::atomic<bool> ran = false;
  {
    io_thread io;
    io.stop();
    io.post([&] { ran = true; });
  }
  CHECK_FALSE(ran);
}

}  // namespace weft::gpu::comm
