#include "policies/routing/plan_request.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <tuple>

#include "policies/routing/worker_price.hpp"

namespace weft {
namespace {

auto rank(const route_plan& plan) {
  const auto local =
      std::count_if(plan.sources.begin(), plan.sources.end(),
                    [](const entry_source& source) { return source.kind == source_kind::local; });
  return std::tuple(plan.first_token_ms, -local, std::string_view(plan.combine.text));
}

route_refusal refuse(std::optional<double> shortest_ms, double queue_ms_max) {
  if (!shortest_ms)
    return {.why = unavailable("no combine worker is live; start one, or wait for one to join")};
  // At least one: a client that retries at once has not waited.
  const double wait_ms = std::max(1.0, std::ceil(*shortest_ms - queue_ms_max));
  return {.why = overloaded("every combine worker has more than " +
                            std::to_string(static_cast<std::int64_t>(queue_ms_max)) +
                            " ms of work waiting; retry later"),
          .retry_after_ms = wait_ms};
}

}  // namespace

route plan_request(const route_facts& facts) {
  std::optional<route_plan> best;
  std::optional<double> shortest_ms;
  for (std::size_t index = 0; index < facts.workers.size(); ++index) {
    const route_worker& worker = facts.workers[index];
    if (!worker.combine || worker.draining) continue;
    shortest_ms = std::min(shortest_ms.value_or(worker.queue_ms), worker.queue_ms);
    if (worker.queue_ms > facts.queue_ms_max) continue;
    route_plan plan = price_at(facts, index);
    if (!best || rank(plan) < rank(*best)) best = std::move(plan);
  }
  if (best) return *std::move(best);
  return refuse(shortest_ms, facts.queue_ms_max);
}

}  // namespace weft
