// One step on its way through the layers of the host engine, in one piece or in several.
#pragma once

#include <utility>

#include "gpu/door/open_step.hpp"
#include "gpu/door/step_plan.hpp"
#include "gpu/host/float_buffer.hpp"
#include "gpu/host/step_batch.hpp"

namespace weft::gpu {

class host_step final : public open_step {
 public:
  explicit host_step(std::int64_t layers) : layers_(layers) {}

  std::int64_t layers_done() const override { return layers_done_; }
  std::int64_t layers() const override { return layers_; }

  // Takes the next plan on; memory of the one before is used again.
  void take(step_plan next) {
    plan = std::move(next);
    layers_done_ = 0;
    begun = false;
  }

  // Lets go of the plan's entries; the sequences are the caller's.
  void let_go() { plan = {}; }

 private:
  friend class step_runner;

  step_plan plan;  // The batch points into it: it stays where it is.
  step_batch batch;
  step_outcome outcome;
  float_buffer
      stream;  // [rows, hidden]: the residual stream, all that one layer hands to the next.
  bool begun = false;
  std::int64_t layers_done_ = 0;
  std::int64_t layers_;
};

}  // namespace weft::gpu
