// A second owner of a unit, which no code of ours can make: for tests that plant double frees.
//
// Whoever plants one must heal the pool before leases go, or the pool stops the program.
#pragma once

#include "gpu/pools/pool.hpp"

namespace weft::gpu {

struct planted_lease {
  // The same unit once more: both give it back when they go.
  static unit_lease copy(const unit_lease& of) { return unit_lease(of.pool_, of.id_); }

  // The lease holds nothing any more, and gives nothing back.
  static void forget(unit_lease& lease) {
    lease.pool_ = nullptr;
    lease.id_ = -1;
  }
};

}  // namespace weft::gpu
