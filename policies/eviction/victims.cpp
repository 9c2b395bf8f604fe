#include "policies/eviction/victims.hpp"

namespace weft {
namespace {

bool helps(const cache_units& gives, const cache_units& wanted) {
  return (gives.pages > 0 && wanted.pages > 0) ||
         (gives.state_slots > 0 && wanted.state_slots > 0) ||
         (gives.transition_slots > 0 && wanted.transition_slots > 0);
}

}  // namespace

std::vector<eviction_candidate> without_fixed(std::vector<eviction_candidate> known) {
  std::erase_if(known,
                [](const eviction_candidate& entry) { return entry.pinned || entry.holders > 0; });
  return known;
}

std::optional<std::vector<eviction_candidate>> take_victims(
    const std::vector<eviction_candidate>& worst_first, const cache_units& wanted) {
  std::vector<eviction_candidate> victims;
  cache_units lacking = wanted;
  for (const eviction_candidate& entry : worst_first) {
    if (lacking.none()) break;
    if (!helps(entry.units, lacking)) continue;
    victims.push_back(entry);
    lacking = missing(lacking, entry.units);
  }
  if (!lacking.none()) return std::nullopt;
  return victims;
}

}  // namespace weft
