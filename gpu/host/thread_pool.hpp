// Worker threads that share out the parts of one job at a time.
//
// The caller takes part as worker 0. Parts are claimed from a counter, so which thread does a part
// is chance: a part's result must not depend on it. Threads spin briefly between jobs (a step has
// hundreds), then sleep on the count of jobs, an atomic: no lock is ever taken. Workers take
// subnormal floats as 0 (flush_subnormals); so must a caller whose parts compute with floats.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace weft::gpu {

class thread_pool {
 public:
  // `threads` counts the caller; 0 means all cores this process may use.
  explicit thread_pool(int threads);
  ~thread_pool();
  thread_pool(const thread_pool&) = delete;
  thread_pool& operator=(const thread_pool&) = delete;

  int threads() const { return static_cast<int>(workers_.size()) + 1; }

  // Calls part(index, worker) for every index in [0, count), worker in [0, threads()), and returns
  // when all are done. `part` must not throw. One caller at a time.
  template <class Part>
  void run(std::int64_t count, const Part& part) {
    run_job(
        count,
        [](const void* job, std::int64_t index, int worker) {
          (*static_cast<const Part*>(job))(index, worker);
        },
        &part);
  }

 private:
  using call = void (*)(const void* job, std::int64_t index, int worker);
  void run_job(std::int64_t count, call what, const void* job);
  void work(int worker);
  void claim_parts(int worker);

  std::vector<std::thread> workers_;
  // Counts jobs; a change wakes the workers. As wide as what the kernel can wait on: it cannot come
  // round under a worker's sleep, since every job waits for all workers.
  std::atomic<std::uint32_t> generation_{0};
  std::atomic<bool> stopping_{false};
  std::atomic<int> sleeping_{0};
  std::atomic<int> busy_{0};
  std::atomic<std::int64_t> next_{0};
  std::int64_t count_ = 0;
  call what_ = nullptr;
  const void* job_ = nullptr;
};

}  // namespace weft::gpu
