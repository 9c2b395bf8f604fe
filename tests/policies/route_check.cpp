#include "tests/policies/route_check.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace weft {
namespace {

const route_worker* find(const route_facts& facts, const node_name& name) {
  for (const route_worker& each : facts.workers)
    if (each.name == name) return &each;
  return nullptr;
}

bool holds(const route_entry& entry, const node_name& name) {
  return std::find(entry.holders.begin(), entry.holders.end(), name) != entry.holders.end();
}

bool sound_source(const route_facts& facts, const route_worker& here, const route_entry& entry,
                  const entry_source& source) {
  const route_worker* from = find(facts, source.worker);
  if (from == nullptr || from->numerics_id != here.numerics_id) return false;
  const bool is_here = from->name == here.name;
  switch (source.kind) {
    case source_kind::local: return is_here && holds(entry, here.name);
    case source_kind::make: return is_here && !holds(entry, here.name);
    case source_kind::pull: return !is_here && holds(entry, from->name);
    case source_kind::scatter:
      return !is_here && from->scatter && !from->draining && from->queue_ms <= facts.queue_ms_max &&
             !holds(entry, here.name);
    case source_kind::flight: return entry.flight && entry.flight->maker == from->name;
  }
  return false;
}

bool near(double left, double right) {
  return std::abs(left - right) <= 1e-9 * std::max({1.0, std::abs(left), std::abs(right)});
}

}  // namespace

route_facts random_facts(std::mt19937& random) {
  route_facts facts;
  const unsigned workers = below(random, 6);
  for (unsigned index = 0; index < workers; ++index)
    facts.workers.push_back({.name = {std::string(1, static_cast<char>('a' + index))},
                             .combine = chance(random, 60),
                             .scatter = chance(random, 60),
                             .draining = chance(random, 15),
                             .numerics_id = chance(random, 80) ? "avx2" : "avx512",
                             .queue_ms = static_cast<double>(below(random, 13'000)),
                             .cost = {.token_ms = 0.1 * (1 + below(random, 9)), .pair_ms = 1e-5}});
  std::shuffle(facts.workers.begin(), facts.workers.end(), random);
  const auto anyone = [&] {
    return node_name{std::string(1, static_cast<char>('a' + below(random, 7)))};
  };
  const unsigned entries = below(random, 9);
  for (unsigned index = 0; index < entries; ++index) {
    route_entry entry{.work = work_of(1 + below(random, 2000)),
                      .bytes = 1 + below(random, 200'000'000)};
    while (chance(random, 30)) entry.holders.push_back(anyone());
    if (chance(random, 15))
      entry.flight = {.maker = anyone(), .remaining_ms = static_cast<double>(below(random, 3000))};
    facts.entries.push_back(entry);
  }
  facts.context = work_of(1 + below(random, 500));
  facts.rule = chance(random, 75) ? scatter_rule::longest_first : scatter_rule::round_robin;
  facts.turn = below(random, 10);
  return facts;
}

std::vector<std::string> faults_of(const route_facts& facts, const route_plan& plan) {
  const route_worker* here = find(facts, plan.combine);
  if (here == nullptr || !here->combine || here->draining || here->queue_ms > facts.queue_ms_max)
    return {"served by " + plan.combine.text + ", which takes nothing"};
  if (plan.sources.size() != facts.entries.size()) return {"not one source for each entry"};
  std::vector<std::string> faults;
  std::map<node_name, double> work_ms = {{here->name, predict_ms(here->cost, facts.context)}};
  double arrival_ms = 0;
  double moved_bytes = 0;
  for (std::size_t index = 0; index < plan.sources.size(); ++index) {
    const route_entry& entry = facts.entries[index];
    const entry_source& source = plan.sources[index];
    if (!sound_source(facts, *here, entry, source)) {
      faults.push_back("entry " + std::to_string(index) + " cannot come from " +
                       source.worker.text);
      continue;
    }
    if (source.kind == source_kind::make || source.kind == source_kind::scatter)
      work_ms[source.worker] += predict_ms(find(facts, source.worker)->cost, entry.work);
    if (source.kind == source_kind::flight)
      arrival_ms = std::max(arrival_ms, entry.flight->remaining_ms);
    if (source.worker != here->name) moved_bytes += static_cast<double>(entry.bytes);
  }
  if (!faults.empty()) return faults;
  const double context_ms = predict_ms(here->cost, facts.context);
  for (const auto& [name, ms] : work_ms)
    arrival_ms = std::max(arrival_ms,
                          find(facts, name)->queue_ms + ms - (name == here->name ? context_ms : 0));
  if (!near(plan.first_token_ms, arrival_ms + moved_bytes / facts.bytes_per_ms + context_ms))
    faults.push_back("the first token is not predicted from the sources");
  if (plan.charges.size() != work_ms.size()) faults.push_back("not one charge for each worker");
  for (const worker_charge& charge : plan.charges) {
    const auto owed = work_ms.find(charge.worker);
    if (owed == work_ms.end() || !near(owed->second, charge.ms))
      faults.push_back(charge.worker.text + " is not charged what it is to do");
  }
  return faults;
}

}  // namespace weft
