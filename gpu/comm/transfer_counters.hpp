// What went over the data channel of one server or one client since it was made.
//
// Threads: any. A reading is not one moment's: counters are read one after another.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "gpu/comm/refusal.hpp"

namespace weft::gpu::comm {

struct transfer_counters {
  using counter = std::atomic<std::uint64_t>;

  counter bytes = 0;      // Of layers, sent or handed to sinks; frames' headers do not count.
  counter layers = 0;     // Whole ones.
  counter started = 0;    // Pulls that were accepted (server) or asked for (client).
  counter completed = 0;  // started == completed + failed + those running.
  counter late = 0;       // Frames that came for a pull already given up, or for an older plan.
  std::array<counter, refusal_reasons> failed = {};   // Started pulls, by how they ended.
  std::array<counter, refusal_reasons> refused = {};  // Pulls and connections that never began.

  void count_failed(refusal_reason reason) { ++failed[static_cast<std::size_t>(reason)]; }
  void count_refused(refusal_reason reason) { ++refused[static_cast<std::size_t>(reason)]; }
  std::uint64_t failed_by(refusal_reason reason) const {
    return failed[static_cast<std::size_t>(reason)];
  }
  std::uint64_t refused_by(refusal_reason reason) const {
    return refused[static_cast<std::size_t>(reason)];
  }
};

}  // namespace weft::gpu::comm
