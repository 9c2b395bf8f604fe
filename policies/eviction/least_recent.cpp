#include "policies/eviction/least_recent.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/eviction/victims.hpp"

namespace weft {

std::optional<std::vector<std::uint64_t>> choose_least_recent(std::vector<eviction_candidate> known,
                                                              const cache_units& wanted) {
  std::vector<eviction_candidate> order = without_fixed(std::move(known));
  std::sort(order.begin(), order.end(), [](const auto& left, const auto& right) {
    return std::tie(left.last_use, left.id) < std::tie(right.last_use, right.id);
  });
  const auto victims = take_victims(order, wanted);
  if (!victims) return std::nullopt;
  std::vector<std::uint64_t> ids;
  for (const eviction_candidate& victim : *victims) ids.push_back(victim.id);
  return ids;
}

}  // namespace weft
