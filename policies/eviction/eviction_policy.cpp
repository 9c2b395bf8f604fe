#include "policies/eviction/eviction_policy.hpp"

#include <utility>

#include "policies/eviction/least_recent.hpp"

namespace weft {

std::string_view name_of(eviction_policy policy) {
  switch (policy) {
    case eviction_policy::least_recent: return "lru";
    case eviction_policy::value_per_byte: return "value";
  }
  return "value";
}

std::optional<std::vector<std::uint64_t>> choose_victims(eviction_policy policy,
                                                         std::vector<eviction_candidate> known,
                                                         const cache_units& wanted,
                                                         const reuse_clock& at) {
  if (policy == eviction_policy::least_recent) return choose_least_recent(std::move(known), wanted);
  return choose_least_valued(std::move(known), wanted, at);
}

}  // namespace weft
