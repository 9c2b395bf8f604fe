#include "gpu/door/engine.hpp"

#include <atomic>
#include <optional>
#include <thread>

namespace weft::gpu {

result<step_outcome> run_step(engine& on, step_plan plan) {
  // Without a promise, whose shared state would be an allocation and a lock a step.
  struct {
    std::optional<result<step_outcome>> outcome;
    std::atomic<std::uint32_t> told{0};
    std::atomic<bool> left{false};  // The engine's thread touches this no more.
  } call;
  on.submit(std::move(plan), [&call](result<step_outcome> done) {
    call.outcome.emplace(std::move(done));
    call.told.store(1);
    call.told.notify_one();
    call.left.store(true);
  });
  call.told.wait(0);
  while (!call.left.load()) std::this_thread::yield();
  return std::move(*call.outcome);
}

}  // namespace weft::gpu
