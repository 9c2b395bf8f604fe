#include "gpu/host/thread_pool.hpp"

#include <algorithm>

#include <immintrin.h>
#include <sched.h>

#include "gpu/door/futex.hpp"
#include "gpu/host/instructions.hpp"

namespace weft::gpu {
namespace {

// Spins before a worker sleeps: some tens of microseconds, longer than the serial pieces inside a
// step.
constexpr int spins_max = 4000;

int usable_cores() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof(set), &set) != 0) return 1;
  return std::max(1, CPU_COUNT(&set));
}

}  // namespace

thread_pool::thread_pool(int threads) {
  const int wanted = threads > 0 ? threads : usable_cores();
  workers_.reserve(static_cast<std::size_t>(wanted - 1));
  for (int worker = 1; worker < wanted; ++worker)
    workers_.emplace_back([this, worker] { work(worker); });
}

thread_pool::~thread_pool() {
  stopping_ = true;
  generation_.fetch_add(1);
  wake_sleepers(generation_);
  for (std::thread& worker : workers_) worker.join();
}

void thread_pool::run_job(std::int64_t count, call what, const void* job) {
  if (count <= 0) return;
  if (workers_.empty() || count == 1) {
    for (std::int64_t index = 0; index < count; ++index) what(job, index, 0);
    return;
  }
  what_ = what;
  job_ = job;
  count_ = count;
  next_.store(0);
  busy_.store(static_cast<int>(workers_.size()));
  generation_.fetch_add(1);
  // A worker counts itself before it looks at the generation for the last time, so one of the two
  // sees the other.
  if (sleeping_.load() > 0) wake_sleepers(generation_);
  claim_parts(0);
  for (int spins = 0; busy_.load() != 0; ++spins) {
    if (spins < spins_max)
      _mm_pause();
    else
      std::this_thread::yield();
  }
}

void thread_pool::claim_parts(int worker) {
  for (;;) {
    const std::int64_t index = next_.fetch_add(1);
    if (index >= count_) return;
    what_(job_, index, worker);
  }
}

void thread_pool::work(int worker) {
  flush_subnormals();
  std::uint32_t seen = 0;
  for (;;) {
    int spins = 0;
    while (generation_.load() == seen && ++spins < spins_max) _mm_pause();
    if (generation_.load() == seen) {
      sleeping_.fetch_add(1);
      sleep_while(generation_, seen);
      sleeping_.fetch_sub(1);
    }
    seen = generation_.load();
    if (stopping_) return;
    claim_parts(worker);
    busy_.fetch_sub(1);
  }
}

}  // namespace weft::gpu
