#include "policies/eviction/value_per_byte.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

#include "policies/eviction/victims.hpp"
#include "policies/vocabulary/assert.hpp"

namespace weft {
namespace {

struct valued {
  double value = 0;
  eviction_candidate entry;
};

// Spares victims that the others make needless, the most valuable first.
void spare_needless(std::vector<eviction_candidate>& victims, const cache_units& wanted) {
  for (std::size_t index = victims.size(); index-- > 0;) {
    cache_units others;
    for (std::size_t other = 0; other < victims.size(); ++other)
      if (other != index) others += victims[other].units;
    if (missing(wanted, others).none())
      victims.erase(victims.begin() + static_cast<std::ptrdiff_t>(index));
  }
}

}  // namespace

double value_per_byte(const eviction_candidate& entry, const reuse_clock& at) {
  WEFT_ASSERT(entry.recompute_ms >= 0);
  const auto bytes = static_cast<double>(std::max<std::int64_t>(entry.bytes, 1));
  return entry.recompute_ms * reuse_at(entry.uses, at.now, at.half_life) / bytes;
}

std::optional<std::vector<std::uint64_t>> choose_least_valued(std::vector<eviction_candidate> known,
                                                              const cache_units& wanted,
                                                              const reuse_clock& at) {
  std::vector<valued> order;
  for (eviction_candidate& entry : without_fixed(std::move(known)))
    order.push_back({.value = value_per_byte(entry, at), .entry = entry});
  std::sort(order.begin(), order.end(), [](const valued& left, const valued& right) {
    return std::tie(left.value, left.entry.last_use, left.entry.id) <
           std::tie(right.value, right.entry.last_use, right.entry.id);
  });
  std::vector<eviction_candidate> worst_first;
  for (valued& each : order) worst_first.push_back(std::move(each.entry));
  auto victims = take_victims(worst_first, wanted);
  if (!victims) return std::nullopt;
  spare_needless(*victims, wanted);
  std::vector<std::uint64_t> ids;
  for (const eviction_candidate& victim : *victims) ids.push_back(victim.id);
  return ids;
}

}  // namespace weft
