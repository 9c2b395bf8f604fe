// What a choice of route sees: the workers, what a request needs, and where that is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "policies/cost/cost_model.hpp"
#include "policies/vocabulary/node_name.hpp"

namespace weft {

// A worker that is live or draining. Others are not listed.
struct route_worker {
  node_name name;
  bool combine = false;
  bool scatter = false;
  bool draining = false;    // Gets no work; what it has may still be pulled.
  std::string numerics_id;  // Entries move between workers of one id only.
  double queue_ms = 0;
  cost_coefficients cost = {};
};

// An entry that somebody is making, for whatever request.
struct route_flight {
  node_name maker;
  double remaining_ms = 0;  // Until it is made, as predicted; not negative.
};

// An entry of the prompt. One that the prompt repeats is listed once.
struct route_entry {
  prefill_work work = {};  // To make it.
  std::int64_t bytes = 0;  // To move it.
  // Who has it, under the key of its own numerics id. Names that are no worker count for nothing.
  std::vector<node_name> holders = {};
  std::optional<route_flight> flight = std::nullopt;
};

// How cold entries are spread over scatter workers.
enum class scatter_rule : std::uint8_t {
  longest_first,  // by predicted cost, the combine worker taking a share
  round_robin,    // in turn, for comparison; at the combine worker only where nobody scatters
};

struct route_facts {
  std::vector<route_worker> workers;
  std::vector<route_entry> entries;
  prefill_work context = {};        // What runs in context wherever it is served: seams, question.
  double bytes_per_ms = 1'000'000;  // Into one worker: 1 GB/s. Requires: positive.
  double queue_ms_max = 10'000;     // A worker whose queue is longer gets no more work.
  scatter_rule rule = scatter_rule::longest_first;
  std::size_t turn = 0;  // Of round_robin; the caller counts it up.
};

}  // namespace weft
