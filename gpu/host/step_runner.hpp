// Takes steps through the layers: checks and lays out, runs layers, reads out.
//
// Threads: the engine's driver; work is spread over the pool.
#pragma once

#include <optional>

#include "gpu/host/entry_check.hpp"
#include "gpu/host/host_model.hpp"
#include "gpu/host/host_step.hpp"

namespace weft::gpu {

class step_runner {
 public:
  // All outlive this.
  step_runner(const host_model& model, const state_layout& layout, const pool_memory& memory,
              thread_pool& pool, const kernel_table& kernels);

  // Runs layers of `step` from where it stands to `end_layer`; after the last one its outcome.
  std::optional<step_outcome> run(host_step& step, std::int64_t end_layer);

 private:
  void begin(host_step& step);
  void run_layers(host_step& step, std::int64_t end_layer);
  step_context context_of(host_step& step);

  const host_model& model_;
  const state_layout& layout_;
  const pool_memory& memory_;
  thread_pool& pool_;
  const kernel_table& kernels_;
  entry_check check_;
  rope_table rope_;
  workspace space_;
};

}  // namespace weft::gpu
