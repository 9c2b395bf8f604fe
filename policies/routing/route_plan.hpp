// How one request is to be served: by whom, with entries from where, and what that costs whom.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "policies/vocabulary/failure.hpp"
#include "policies/vocabulary/node_name.hpp"

namespace weft {

enum class source_kind : std::uint8_t {
  local,    // the combine worker has it
  make,     // the combine worker makes it
  pull,     // `worker` has it
  scatter,  // `worker` is asked to make it by this plan
  flight,   // `worker` makes it already; it may be the combine worker itself
};

struct entry_source {
  source_kind kind = source_kind::local;
  node_name worker;  // The combine worker for local and make.

  friend bool operator==(const entry_source&, const entry_source&) = default;
};

// Predicted work that this plan gives to a worker.
struct worker_charge {
  node_name worker;
  double ms = 0;

  friend bool operator==(const worker_charge&, const worker_charge&) = default;
};

struct route_plan {
  node_name combine;
  std::vector<entry_source> sources;  // Per entry of the facts.
  double first_token_ms = 0;          // From now, as predicted.
  // The combine worker's first, then those of scatter workers with work, by name.
  std::vector<worker_charge> charges;

  friend bool operator==(const route_plan&, const route_plan&) = default;
};

struct route_refusal {
  failure why;                // `overloaded` or `unavailable`.
  double retry_after_ms = 0;  // Of `overloaded`: when a queue will be short enough again.
};

using route = std::variant<route_plan, route_refusal>;

}  // namespace weft
