#include "gpu/door/engine.hpp"

#include <future>

namespace weft::gpu {

result<step_outcome> run_step(engine& on, step_plan plan) {
  std::promise<result<step_outcome>> promise;
  auto outcome = promise.get_future();
  on.submit(std::move(plan),
            [&promise](result<step_outcome> done) { promise.set_value(std::move(done)); });
  return outcome.get();
}

}  // namespace weft::gpu
