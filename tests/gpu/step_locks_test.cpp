// What a step locks: nothing. Every lock of a std::mutex ends in pthread_mutex_lock, which is
// counted here on all threads; a condition variable's wait needs a locked mutex, so it is counted
// too.
//
// Sanitizers put their own pthread_mutex_lock in this place.
#if !defined(__SANITIZE_THREAD__) && !defined(__SANITIZE_ADDRESS__)

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

#include <catch2/catch.hpp>
#include <dlfcn.h>
#include <pthread.h>

#include "gpu/host/thread_pool.hpp"
#include "tests/gpu/checkpoint_writer.hpp"
#include "tests/gpu/steady_steps.hpp"

namespace {

using lock_call = int (*)(pthread_mutex_t*);

std::atomic<std::int64_t> locks{0};
std::atomic<lock_call> real_lock{nullptr};

}  // namespace

extern "C" int pthread_mutex_lock(pthread_mutex_t* mutex) {
  lock_call real = real_lock.load();
  if (real == nullptr) {
    real = reinterpret_cast<lock_call>(dlsym(RTLD_NEXT, "pthread_mutex_lock"));
    real_lock.store(real);
  }
  locks.fetch_add(1);
  return real(mutex);
}

namespace weft::gpu {

TEST_CASE("a step takes no lock", "[gpu][step_locks]") {
  std::mutex any;
  const std::int64_t before_any = locks.load();
  any.lock();
  any.unlock();
  REQUIRE(locks.load() == before_any + 1);  // The counter counts.
  for (const model_shape& shape :
       {testing::small_shape(), testing::small_sparse_shape(), testing::small_next_shape()}) {
    CAPTURE(shape.architecture);
    testing::steady_steps steps(shape);
    for (int i = 0; i < testing::steady_steps::steps_max; ++i) {
      step_plan plan = steps.next_plan();
      const std::int64_t before = locks.load();
      auto done = run_step(steps.on(), std::move(plan));
      CHECK(locks.load() == before);
      steps.take(std::move(done));
    }
  }
}

TEST_CASE("workers fall asleep and wake up without a lock", "[gpu][step_locks]") {
  thread_pool pool(3);
  std::atomic<std::int64_t> sum{0};
  const std::int64_t before = locks.load();
  for (int job = 0; job < 20; ++job) {
    std::this_thread::sleep_for(std::chrono::milliseconds(3));  // Longer than workers spin.
    pool.run(5, [&](std::int64_t index, int) { sum += index; });
  }
  CHECK(sum == 200);
  CHECK(locks.load() == before);
}

}  // namespace weft::gpu

#endif
