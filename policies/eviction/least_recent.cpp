#include "policies/eviction/least_recent.hpp"

#include <algorithm>
#include <tuple>

namespace weft {
namespace {

bool helps(const cache_units& gives, const cache_units& wanted) {
  return (gives.pages > 0 && wanted.pages > 0) ||
         (gives.state_slots > 0 && wanted.state_slots > 0) ||
         (gives.transition_slots > 0 && wanted.transition_slots > 0);
}

}  // namespace

std::optional<std::vector<std::uint64_t>> choose_victims(std::vector<eviction_candidate> known,
                                                         const cache_units& wanted) {
  std::erase_if(known,
                [](const eviction_candidate& entry) { return entry.pinned || entry.holders > 0; });
  std::sort(known.begin(), known.end(), [](const auto& left, const auto& right) {
    return std::tie(left.last_use, left.id) < std::tie(right.last_use, right.id);
  });
  std::vector<std::uint64_t> victims;
  cache_units lacking = wanted;
  for (const eviction_candidate& entry : known) {
    if (lacking.none()) break;
    if (!helps(entry.units, lacking)) continue;
    victims.push_back(entry.id);
    lacking = missing(lacking, entry.units);
  }
  if (!lacking.none()) return std::nullopt;
  return victims;
}

}  // namespace weft
