#include "policies/routing/load_book.hpp"

#include <algorithm>
#include <cmath>

#include "policies/vocabulary/assert.hpp"

namespace weft {
namespace {

bool measured(double number) { return std::isfinite(number) && number >= 0; }

}  // namespace

bool load_book::meet(const node_life& worker) {
  const auto known = workers_.find(worker.node);
  if (known != workers_.end() && known->second.life == worker.life) return true;
  if (known == workers_.end() && workers_.size() >= limits_.workers_max) return false;
  worker_load fresh;
  fresh.life = worker.life;
  workers_.insert_or_assign(worker.node, std::move(fresh));
  return true;
}

void load_book::forget(const node_name& worker) { workers_.erase(worker); }

bool load_book::take(const node_life& worker, const load_report& report, instant now) {
  worker_load* load = find(worker);
  if (load == nullptr || report.charges_heard < load->reported.charges_heard ||
      report.charges_heard > load->last_charge || !measured(report.queued_ms) ||
      !measured(report.cost.token_ms) || !measured(report.cost.pair_ms))
    return false;
  load->reported = report;
  load->reported_at = now;
  auto& open = load->charged_ms;
  open.erase(open.begin(), open.upper_bound(report.charges_heard));
  return true;
}

std::optional<std::uint64_t> load_book::charge(const node_life& worker, double ms) {
  WEFT_ASSERT(measured(ms));
  worker_load* load = find(worker);
  if (load == nullptr || load->charged_ms.size() >= limits_.charges_max) return std::nullopt;
  load->charged_ms.emplace(++load->last_charge, ms);
  return load->last_charge;
}

bool load_book::settle(const node_life& worker, std::uint64_t charge) {
  worker_load* load = find(worker);
  return load != nullptr && load->charged_ms.erase(charge) > 0;
}

double load_book::queue_ms(const node_name& worker, instant now) const {
  const auto found = workers_.find(worker);
  if (found == workers_.end()) return 0;
  const worker_load& load = found->second;
  double queue = std::max(0.0, load.reported.queued_ms - milliseconds_of(now - load.reported_at));
  for (const auto& [number, ms] : load.charged_ms) queue += ms;
  return queue;
}

cost_coefficients load_book::cost(const node_name& worker) const {
  const auto found = workers_.find(worker);
  return found == workers_.end() ? cost_coefficients{} : found->second.reported.cost;
}

std::size_t load_book::charges_open(const node_name& worker) const {
  const auto found = workers_.find(worker);
  return found == workers_.end() ? 0 : found->second.charged_ms.size();
}

load_book::worker_load* load_book::find(const node_life& worker) {
  const auto found = workers_.find(worker.node);
  if (found == workers_.end() || found->second.life != worker.life) return nullptr;
  return &found->second;
}

}  // namespace weft
