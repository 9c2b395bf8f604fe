// Steps of one size after one another, for tests of what a step costs beside its computing.
//
// Each step holds greedy and sampled decode rows, the next cut of a long prompt, and a prompt of a
// sequence of its own whose tokens are scored. None splices: splices lengthen lists.
#pragma once

#include <memory>
#include <vector>

#include "gpu/host/host_engine.hpp"

namespace weft::gpu::testing {

class steady_steps {
 public:
  static constexpr int steps_max = 6;
  // Lists of sequences, scores, and the logits that one of them wants, each growing from nothing.
  static constexpr std::int64_t outcome_allocations_max = 16;

  // On an engine of random weights with two threads.
  explicit steady_steps(const model_shape& shape);

  engine& on() { return *engine_; }

  // The next step, with the memory of the last outcome. At most `steps_max` times.
  step_plan next_plan();

  // Its outcome; a test's failure where it has an error.
  void take(result<step_outcome> done);

 private:
  std::unique_ptr<host_engine> engine_;
  sequence greedy_;
  sequence sampled_;
  sequence long_prompt_;
  std::vector<sequence> short_prompts_;
  step_outcome last_;
  int steps_ = 0;
};

}  // namespace weft::gpu::testing
