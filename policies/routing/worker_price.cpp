#include "policies/routing/worker_price.hpp"

#include <algorithm>
#include <map>

#include "policies/assignment/earliest_finish.hpp"
#include "policies/assignment/round_robin.hpp"
#include "policies/vocabulary/assert.hpp"

namespace weft {
namespace {

// One combine worker's view of the facts.
struct pricing {
  const route_facts& facts;
  const route_worker& here;
  std::vector<const route_worker*> helpers;  // Who may be asked to make entries, by name.
  std::map<node_name, std::int64_t> pulled;  // Bytes that this plan pulls from each holder.

  double moving_ms(const route_entry& entry) const {
    return static_cast<double>(entry.bytes) / facts.bytes_per_ms;
  }
  // Null: no worker of that name whose entries have the bits of `here`.
  const route_worker* same_bits(const node_name& name) const {
    for (const route_worker& each : facts.workers)
      if (each.name == name) return each.numerics_id == here.numerics_id ? &each : nullptr;
    return nullptr;
  }
};

pricing view_of(const route_facts& facts, const route_worker& here) {
  pricing view{.facts = facts, .here = here, .helpers = {}, .pulled = {}};
  for (const route_worker& each : facts.workers)
    if (each.scatter && !each.draining && each.name != here.name &&
        each.numerics_id == here.numerics_id && each.queue_ms <= facts.queue_ms_max)
      view.helpers.push_back(&each);
  std::sort(
      view.helpers.begin(), view.helpers.end(),
      [](const route_worker* left, const route_worker* right) { return left->name < right->name; });
  return view;
}

// The holder to pull from: one that stays before one that drains, then whoever this plan has asked
// for the fewest bytes, then by name. Null: nobody whose bits count here.
const route_worker* holder_of(const pricing& view, const route_entry& entry) {
  const auto rank = [&](const route_worker& holder) {
    const auto asked = view.pulled.find(holder.name);
    return std::tuple(holder.draining, asked == view.pulled.end() ? 0 : asked->second,
                      std::string_view(holder.name.text));
  };
  const route_worker* best = nullptr;
  for (const node_name& name : entry.holders) {
    const route_worker* holder = view.same_bits(name);
    if (holder != nullptr && (best == nullptr || rank(*holder) < rank(*best))) best = holder;
  }
  return best;
}

// Where an entry comes from that is not cold. Nullopt: it is cold.
std::optional<entry_source> known_source(pricing& view, const route_entry& entry) {
  const node_name& here = view.here.name;
  if (std::find(entry.holders.begin(), entry.holders.end(), here) != entry.holders.end())
    return entry_source{source_kind::local, here};
  if (const route_worker* holder = holder_of(view, entry)) {
    if (predict_ms(view.here.cost, entry.work) < view.moving_ms(entry))
      return entry_source{source_kind::make, here};
    view.pulled[holder->name] += entry.bytes;
    return entry_source{source_kind::pull, holder->name};
  }
  if (entry.flight && view.same_bits(entry.flight->maker) != nullptr)
    return entry_source{source_kind::flight, entry.flight->maker};
  return std::nullopt;
}

void spread_longest_first(const pricing& view, const std::vector<std::size_t>& cold,
                          double own_load_ms, std::vector<entry_source>& sources) {
  std::vector<std::vector<double>> cost_ms;
  for (const std::size_t index : cold) {
    const route_entry& entry = view.facts.entries[index];
    auto& row = cost_ms.emplace_back(1, predict_ms(view.here.cost, entry.work));
    for (const route_worker* helper : view.helpers)
      row.push_back(predict_ms(helper->cost, entry.work) + view.moving_ms(entry));
  }
  std::vector<double> load_ms = {own_load_ms};
  for (const route_worker* helper : view.helpers) load_ms.push_back(helper->queue_ms);
  const job_assignment made = assign_earliest_finish(cost_ms, std::move(load_ms));
  for (std::size_t job = 0; job < cold.size(); ++job)
    if (made.worker_of[job] > 0)
      sources[cold[job]] = {source_kind::scatter, view.helpers[made.worker_of[job] - 1]->name};
}

void spread_round_robin(const pricing& view, const std::vector<std::size_t>& cold,
                        std::vector<entry_source>& sources) {
  if (view.helpers.empty()) return;
  const std::size_t count = view.helpers.size();
  const auto made = assign_round_robin(std::vector<double>(cold.size()), std::vector<double>(count),
                                       view.facts.turn % count);
  for (std::size_t job = 0; job < cold.size(); ++job)
    sources[cold[job]] = {source_kind::scatter, view.helpers[made.worker_of[job]]->name};
}

// Time and charges of sources that are chosen.
route_plan plan_of(const pricing& view, std::vector<entry_source> sources) {
  const route_facts& facts = view.facts;
  double own_ms = 0;
  double waited_ms = 0;
  double moved_ms = 0;
  std::map<node_name, double> scattered_ms;
  for (std::size_t index = 0; index < sources.size(); ++index) {
    const entry_source& source = sources[index];
    const route_entry& entry = facts.entries[index];
    if (source.kind == source_kind::make) own_ms += predict_ms(view.here.cost, entry.work);
    if (source.kind == source_kind::scatter)
      scattered_ms[source.worker] += predict_ms(view.same_bits(source.worker)->cost, entry.work);
    if (source.kind == source_kind::flight)
      waited_ms = std::max(waited_ms, entry.flight->remaining_ms);
    if (source.worker != view.here.name) moved_ms += view.moving_ms(entry);
  }
  for (const auto& [name, ms] : scattered_ms)
    waited_ms = std::max(waited_ms, view.same_bits(name)->queue_ms + ms);
  const double context_ms = predict_ms(view.here.cost, facts.context);
  route_plan plan{
      .combine = view.here.name,
      .sources = std::move(sources),
      .first_token_ms = std::max(view.here.queue_ms + own_ms, waited_ms) + moved_ms + context_ms,
      .charges = {{view.here.name, own_ms + context_ms}}};
  for (const auto& [name, ms] : scattered_ms) plan.charges.push_back({name, ms});
  return plan;
}

}  // namespace

route_plan price_at(const route_facts& facts, std::size_t combine) {
  WEFT_ASSERT(combine < facts.workers.size());
  WEFT_ASSERT(facts.bytes_per_ms > 0);
  pricing view = view_of(facts, facts.workers[combine]);
  // What is cold is made here until it is spread.
  std::vector<entry_source> sources;
  std::vector<std::size_t> cold;
  double own_load_ms = view.here.queue_ms;
  for (std::size_t index = 0; index < facts.entries.size(); ++index) {
    const route_entry& entry = facts.entries[index];
    const auto source = known_source(view, entry);
    if (!source) cold.push_back(index);
    sources.push_back(source.value_or(entry_source{source_kind::make, view.here.name}));
    if (source && source->kind == source_kind::make)
      own_load_ms += predict_ms(view.here.cost, entry.work);
  }
  std::vector<entry_source> spread = sources;
  if (facts.rule == scatter_rule::round_robin) {
    spread_round_robin(view, cold, spread);
    return plan_of(view, std::move(spread));
  }
  spread_longest_first(view, cold, own_load_ms, spread);
  route_plan shared = plan_of(view, std::move(spread));
  // The spread goes entry by entry; to make all of them here may be sooner still.
  route_plan alone = plan_of(view, std::move(sources));
  return alone.first_token_ms <= shared.first_token_ms ? alone : shared;
}

}  // namespace weft
