// Who takes part in a request by its plan, as the router remembers it.
#pragma once

#include <cstdint>
#include <vector>

#include "policies/vocabulary/node_life.hpp"

namespace weft {

// A segment whose entry comes from another worker than the combine worker and is not there yet.
struct expected_segment {
  std::size_t segment = 0;
  node_life worker = {};  // Makes it or holds it.

  friend bool operator==(const expected_segment&, const expected_segment&) = default;
};

// Work that a load_book counts; to be settled when the plan is over.
struct plan_charge {
  node_life worker = {};
  std::uint64_t number = 0;

  friend bool operator==(const plan_charge&, const plan_charge&) = default;
};

struct serving_plan {
  node_life combine = {};
  std::vector<expected_segment> expected = {};
  std::vector<plan_charge> charges = {};

  friend bool operator==(const serving_plan&, const serving_plan&) = default;
};

}  // namespace weft
