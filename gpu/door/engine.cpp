#include "gpu/door/engine.hpp"

#include <atomic>
#include <optional>

#include "gpu/door/futex.hpp"

namespace weft::gpu {

result<step_outcome> run_step(engine& on, step_plan plan) {
  // Without a promise, whose shared state would be an allocation and a lock a step.
  struct {
    std::optional<result<step_outcome>> outcome;
    std::atomic<std::uint32_t> told{0};
  } call;
  on.submit(std::move(plan), [&call](result<step_outcome> done) {
    call.outcome.emplace(std::move(done));
    const std::atomic<std::uint32_t>& told = call.told;
    call.told.store(1);  // From here on `call` may be gone.
    wake_sleepers(told);
  });
  sleep_while(call.told, 0);
  return std::move(*call.outcome);
}

}  // namespace weft::gpu
