// What a step found damaged, and what becomes of it: the entries leave their index, the requests
// that used one begin again and make it anew, and a request whose entry is bad for the second time
// in a row fails by name.
//
// Threads: the session's. Lifetime: of one step.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <vector>

#include "actors/session/request_run.hpp"

namespace weft::actors {

class step_damage {
 public:
  // What the engine said of a part of `run`. Notes the entries it blames.
  void note(request_run& run, const gpu::sequence_outcome& told);

  // Puts the noted entries away and sends their users back or fails them; `running` are all that
  // may use one. To be called before anything else is made of the step. True: some request failed,
  // so that the weights are in doubt.
  bool settle(const std::list<std::unique_ptr<request_run>>& running, unit_desk& desk);

 private:
  struct finding {
    request_run* by = nullptr;
    slot_ptr slot;
  };

  void condemn(const finding& found, unit_desk& desk);

  std::vector<finding> found_;
  std::map<slot_ptr, std::int64_t> times_;  // In a row, of each slot that was found.
  std::vector<slot_ptr> damaged_;           // Those that others may have used before.
};

}  // namespace weft::actors
