// A request as it will be run: its layout, the entries it asks for by key, and the most it can take
// from the pools. Made once at the door; says nothing about what is cached.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "actors/session/entry_names.hpp"
#include "actors/session/entry_slot.hpp"
#include "actors/session/session.hpp"
#include "policies/eviction/cache_units.hpp"
#include "policies/placement/prompt_layout.hpp"

namespace weft::actors {

struct request_plan {
  request asked;
  seam cut;  // What each spliced segment recomputes.
  prompt_layout layout;
  std::vector<entry_wanted> entries;   // One per piece that is not a run, in order; may repeat.
  std::optional<entry_wanted> anchor;  // Where entries are made behind one.
  std::vector<std::int64_t> isolated_runs;  // What an isolated sequence runs outside its entry.
  cache_units most;                         // Held at once when nothing is known.
  bool answers = true;  // False: makes its entries and runs nothing behind them.
};

struct plan_limits {
  const gpu::model_shape* shape = nullptr;
  std::int64_t positions_max = 0;
  seam profile_seam;
};

// `rejected` with the culprit: empty or too long prompts, ids outside the vocabulary, a seam that
// the convolution forbids, sampling that makes no sense.
result<request_plan> plan_request(request asked, const plan_limits& limits,
                                  const entry_names& names);

// The plan of a preparation: its documents' entries, each once, and no context. `rejected` also for
// a document of which its seam leaves nothing.
result<request_plan> plan_preparation(preparation asked, const plan_limits& limits,
                                      const entry_names& names);

// `rejected`, naming the pool, what is lacking and the --cache-bytes that would do, unless `plan`
// fits such pools once everybody else is gone: only what others have pinned stays.
status check_fits(const request_plan& plan, const gpu::engine_counts& pools,
                  const gpu::engine_traits& traits);

}  // namespace weft::actors
