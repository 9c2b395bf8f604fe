#include "tests/actors/unit_accounts.hpp"

#include <algorithm>
#include <array>
#include <set>

namespace weft::actors {
namespace {

struct pool_view {
  const char* noun;
  const gpu::pool_counts& counts;
  std::int64_t resident;  // Units of resident entries.

  std::int64_t held(gpu::unit_owner owner) const {
    return counts.held[static_cast<std::size_t>(owner)];
  }
  std::string told() const {
    return std::string(noun) + ": free " + std::to_string(counts.free) + ", cached " +
           std::to_string(held(gpu::unit_owner::cached)) + ", pinned " +
           std::to_string(held(gpu::unit_owner::pinned)) + ", in flight " +
           std::to_string(held(gpu::unit_owner::in_flight)) + ", quarantined " +
           std::to_string(held(gpu::unit_owner::quarantined)) + " of " +
           std::to_string(counts.total) + ", resident entries " + std::to_string(resident);
  }
};

std::array<pool_view, 3> views_of(const gpu::engine_counts& counts, const cache_units& resident) {
  return {{{"key-value pages", counts.pages, resident.pages},
           {"state slots", counts.state_slots, resident.state_slots},
           {"transition slots", counts.transition_slots, resident.transition_slots}}};
}

}  // namespace

std::vector<std::string> check_accounts(const gpu::engine_counts& counts,
                                        const cache_units& resident) {
  std::vector<std::string> breaches;
  for (const pool_view& pool : views_of(counts, resident)) {
    std::int64_t sum = pool.counts.free;
    bool negative = pool.counts.free < 0;
    for (const std::int64_t held : pool.counts.held) {
      sum += held;
      negative = negative || held < 0;
    }
    if (negative) breaches.push_back("less than nothing is held; " + pool.told());
    if (sum < pool.counts.total) breaches.push_back("units are lost; " + pool.told());
    if (sum > pool.counts.total) breaches.push_back("units count twice; " + pool.told());
    if (pool.held(gpu::unit_owner::cached) + pool.held(gpu::unit_owner::pinned) != pool.resident)
      breaches.push_back("the cache is not what entries hold; " + pool.told());
  }
  return breaches;
}

std::vector<std::string> check_quiet(const gpu::engine_counts& counts,
                                     const cache_units& resident) {
  std::vector<std::string> breaches = check_accounts(counts, resident);
  for (const pool_view& pool : views_of(counts, resident))
    if (pool.held(gpu::unit_owner::in_flight) != 0)
      breaches.push_back("nothing is live and units are in flight; " + pool.told());
  return breaches;
}

std::vector<std::string> check_entries(const std::vector<std::shared_ptr<gpu::entry>>& alive) {
  std::vector<std::string> breaches;
  std::set<std::int32_t> pages;
  std::set<std::int32_t> state_slots;
  std::set<std::int32_t> transition_slots;
  const auto claim = [&](std::set<std::int32_t>& taken, const gpu::unit_lease& unit,
                         const char* noun) {
    if (!unit)
      breaches.push_back("an entry lists a unit of the " + std::string(noun) +
                         " that it does not hold");
    else if (!taken.insert(unit.id()).second)
      breaches.push_back("unit " + std::to_string(unit.id()) + " of the " + noun +
                         " is in two entries");
  };
  for (const auto& entry : alive) {
    for (const gpu::unit_lease& page : entry->pages) claim(pages, page, "key-value pages");
    claim(state_slots, entry->state_slot, "state slots");
    if (entry->kind == gpu::entry_kind::splice)
      claim(transition_slots, entry->transition_slot, "transition slots");
  }
  return breaches;
}

}  // namespace weft::actors
