#include "actors/session/unit_desk.hpp"

#include <utility>

#include "policies/placement/page_demand.hpp"

namespace weft::actors {

bool unit_desk::admits(const cache_units& needed) const {
  return admit({.needed = needed,
                .free = free(),
                .evictable = cache_.evictable(),
                .promised = promised_})
             .verdict == admission_verdict::admit;
}

bool unit_desk::can_spare(const cache_units& extra) const {
  admission_facts facts{.free = free(), .promised = promised_};
  if (!missing(extra, facts.free).none()) return false;
  // The sum over the cache is made only where it decides: this is asked often.
  if (weft::can_spare(extra, facts)) return true;
  facts.evictable = cache_.evictable();
  return weft::can_spare(extra, facts);
}

bool unit_desk::make_room(const cache_units& wanted) {
  return cache_.evict(missing(wanted, free()));
}

cache_units unit_desk::free() const {
  const gpu::engine_counts counts = engine_.counts();
  return {.pages = counts.pages.free,
          .state_slots = counts.state_slots.free,
          .transition_slots = counts.transition_slots.free};
}

result<std::unique_ptr<gpu::sequence>> unit_desk::sequence(const std::vector<std::int64_t>& runs) {
  auto made = engine_.make_sequence();
  if (!made) return made.error();
  auto target = std::make_unique<gpu::sequence>(std::move(made).value());
  if (runs.empty()) return target;
  if (const status reserved = engine_.reserve(*target, runs); !reserved) return reserved.error();
  return target;
}

result<std::shared_ptr<gpu::entry>> unit_desk::entry(const entry_wanted& wanted) {
  return engine_.make_entry(wanted.kind, wanted.stored_tokens);
}

cache_units units_of(const entry_wanted& wanted) {
  return {.pages = entry_pages(wanted.stored_tokens, gpu::page_tokens),
          .state_slots = 1,
          .transition_slots = wanted.kind == gpu::entry_kind::splice ? 1 : 0};
}

cache_units sequence_units(const std::vector<std::int64_t>& runs) {
  return {.pages = overlay_pages(runs, gpu::page_tokens), .state_slots = 1};
}

}  // namespace weft::actors
