// Faults on order, for tests and drills: delay, drop, fail or damage the n-th frame or layer sent.
//
// Built in by WEFT_FAULT_HOOKS (fault_hook.cpp); else no_fault_hook.cpp stands in, which refuses
// every order. Threads: `arm` from any, `next` from the server's I/O thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <vector>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

enum class fault_act : std::uint8_t { none, delay, drop, fail, flip };

struct fault_order {
  fault_act act = fault_act::none;
  bool layer = false;  // Count layers and act on a layer's first frame; else count frames.
  std::uint64_t number =
      0;  // Which one since the hook was made, the first is 1. Each order acts once.
  std::chrono::milliseconds delay = {};
};

class fault_hook {
 public:
  // As environment and admin words write it: "ACT:UNIT:NUMBER[:MILLISECONDS]", "delay:layer:3:200",
  // "flip:frame:1". `rejected` for anything else, and where hooks are not built in.
  status arm(std::string_view text);

  // What shall happen to the frame about to be sent.
  fault_order next(bool first_of_layer);

 private:
  std::mutex mutex_;
  std::vector<fault_order> armed_;
  std::uint64_t frames_ = 0;
  std::uint64_t layers_ = 0;
};

}  // namespace weft::gpu::comm
