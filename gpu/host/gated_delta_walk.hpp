// One head's state of one linear layer on its way through a sequence's work: runs in chunks or
// token by token, jumps over entries, and what an entry under construction keeps of it.
#pragma once

#include "gpu/host/step_context.hpp"

namespace weft::gpu {

class gated_delta_walk {
 public:
  // For head `head` of linear layer `layer`, on the thread `worker`. Cheap to make.
  gated_delta_walk(step_context& step, const gated_delta_shape& shape, std::int64_t layer,
                   std::int64_t head, int worker);

  // Moves the running state, and the entry that the sequence builds, through all of its work.
  void run(batch_sequence& one);

 private:
  void step_over(const batch_run& run);
  void step_over(const batch_splice& splice);
  void step_over(const batch_restore& restore);
  void step_over(const batch_begin& begin);
  void step_over(const batch_end& end);
  void advance(gated_delta_args chunk);

  std::size_t flag() const;
  float* share(const entry& of) const;
  float* transition(const entry& of) const;

  step_context& step_;
  gated_delta_shape shape_;
  std::int64_t layer_;
  std::int64_t head_;
  float* scratch_;
  double& jump_ms_;
  float* state_ = nullptr;
  entry* building_ = nullptr;
  // Known for the next chunk only, which is then cheaper.
  bool state_is_zero_ = false;
  bool entry_begins_ = false;
};

}  // namespace weft::gpu
