// Who serves a request, with entries from where: the least predicted time to the first token.
//
// A pure decision: equal facts give equal plans, in whatever order workers are listed. Work and
// load are in one price, so affinity has its bound by itself: a worker that has all entries is
// chosen until its queue exceeds the least price elsewhere by more than what having them saves.
#pragma once

#include "policies/routing/route_facts.hpp"
#include "policies/routing/route_plan.hpp"

namespace weft {

// Combine workers that drain, or whose queue exceeds queue_ms_max, are not considered. At equal
// price the worker with more local entries wins, then the lower name. Refusals: `unavailable` when
// there is no combine worker that does not drain; `overloaded` when there are but all queues are
// too long, with the time after which the shortest will be short enough.
// Requires: as price_at.
route plan_request(const route_facts& facts);

}  // namespace weft
