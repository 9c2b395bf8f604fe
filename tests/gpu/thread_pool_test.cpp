#include "gpu/host/thread_pool.hpp"

#include <atomic>
#include <vector>

#include <catch2/catch.hpp>

namespace weft::gpu {

TEST_CASE("every part runs exactly once, whatever the number of threads",
          "[gpu][thread_pool][threads]") {
  for (const int threads : {1, 2, 4, 7}) {
    thread_pool pool(threads);
    REQUIRE(pool.threads() == threads);
    for (const std::int64_t count : {0, 1, 2, 3, 100, 1000}) {
      std::vector<std::atomic<int>> seen(static_cast<std::size_t>(count));
      std::atomic<bool> worker_in_range{true};
      pool.run(count, [&](std::int64_t index, int worker) {
        ++seen[static_cast<std::size_t>(index)];
        if (worker < 0 || worker >= threads) worker_in_range = false;
      });
      CHECK(worker_in_range);
      for (const auto& times : seen) CHECK(times == 1);
    }
  }
}

TEST_CASE("many short jobs after one another all finish", "[gpu][thread_pool][threads]") {
  thread_pool pool(3);
  std::atomic<std::int64_t> sum{0};
  for (int job = 0; job < 5000; ++job) pool.run(5, [&](std::int64_t index, int) { sum += index; });
  CHECK(sum == 50000);
}

}  // namespace weft::gpu
