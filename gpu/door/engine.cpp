#include "gpu/door/engine.hpp"

#include <atomic>
#include <optional>

#include "gpu/door/futex.hpp"

namespace weft::gpu {

namespace {

// Calls submit(done) and sleeps until `done` was called. Without a promise, whose shared state
// would be an allocation and a lock a step.
template <class Outcome, class Submit>
result<Outcome> wait_for(const Submit& submit) {
  struct {
    std::optional<result<Outcome>> outcome;
    std::atomic<std::uint32_t> told{0};
  } call;
  submit([&call](result<Outcome> done) {
    call.outcome.emplace(std::move(done));
    const std::atomic<std::uint32_t>& told = call.told;
    call.told.store(1);  // From here on `call` may be gone.
    wake_sleepers(told);
  });
  sleep_while(call.told, 0);
  return std::move(*call.outcome);
}

}  // namespace

result<step_outcome> run_step(engine& on, step_plan plan) {
  return wait_for<step_outcome>([&](auto done) { on.submit(std::move(plan), done); });
}

result<std::optional<step_outcome>> run_layers(engine& on, open_step& step,
                                               std::int64_t end_layer) {
  return wait_for<std::optional<step_outcome>>(
      [&](auto done) { on.submit(step, end_layer, done); });
}

}  // namespace weft::gpu
