#include "actors/session/entry_index.hpp"

#include <atomic>
#include <utility>
#include <vector>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

// Keys whose going is remembered for receipts; a key and its order take some 150 bytes.
constexpr std::size_t remembered_max = 4096;

std::uint64_t next_serial() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

void relabel(gpu::entry& entry, gpu::unit_owner owner) {
  for (gpu::unit_lease& page : entry.pages) page.relabel(owner);
  if (entry.state_slot) entry.state_slot.relabel(owner);
  if (entry.transition_slot) entry.transition_slot.relabel(owner);
}

}  // namespace

cache_units units_of(const gpu::entry& entry) {
  return {.pages = static_cast<std::int64_t>(entry.pages.size()),
          .state_slots = entry.state_slot ? 1 : 0,
          .transition_slots = entry.transition_slot ? 1 : 0};
}

slot_ptr entry_index::find(const entry_wanted& wanted) {
  const auto found = slots_.find(wanted.key);
  if (found == slots_.end() || found->second->state == slot_state::abandoned) return nullptr;
  const slot_ptr slot = found->second;
  if (slot->wanted.ids != wanted.ids) {
    drop(slot, verdict_reason::invalid);
    return nullptr;
  }
  slot->last_use = ++looks_;
  return slot;
}

bool entry_index::has(const messages::entry_key& key) const {
  const auto found = slots_.find(key);
  return found != slots_.end() && found->second->state != slot_state::abandoned;
}

slot_ptr entry_index::resident(const messages::entry_key& key) {
  const auto found = slots_.find(key);
  if (found == slots_.end() || found->second->state != slot_state::resident) return nullptr;
  found->second->last_use = ++looks_;
  return found->second;
}

void entry_index::count_use(const slot_ptr& slot) {
  slot->uses = used_again(slot->uses, ++uses_, terms_.half_life_uses);
}

verdict_reason entry_index::absence(const messages::entry_key& key) const {
  const auto found = gone_.find(key);
  return found == gone_.end() ? verdict_reason::new_segment : found->second;
}

slot_ptr entry_index::claim(const entry_wanted& wanted, std::uint64_t maker,
                            std::shared_ptr<gpu::entry> room) {
  slot_ptr& slot = slots_[wanted.key];
  if (slot == nullptr) {
    slot = std::make_shared<entry_slot>();
    slot->wanted = wanted;
    slot->serial = next_serial();
    slot->cause = absence(wanted.key);
    slot->state = slot_state::abandoned;
    ++abandoned_;
  }
  claim_again(slot, maker, std::move(room));
  return slot;
}

void entry_index::claim_again(const slot_ptr& slot, std::uint64_t maker,
                              std::shared_ptr<gpu::entry> room) {
  WEFT_ASSERT(slot->state == slot_state::abandoned && room != nullptr);
  if (holds(slot)) --abandoned_;
  slot->state = slot_state::computing;
  slot->maker = maker;
  slot->entry = std::move(room);
  slot->last_use = ++looks_;
  relabel(*slot->entry, gpu::unit_owner::in_flight);
}

void entry_index::complete(const slot_ptr& slot) {
  WEFT_ASSERT(slot->state == slot_state::computing);
  slot->state = slot_state::resident;
  if (!shared_ || !holds(slot)) return;
  relabel(*slot->entry, slot->wanted.pinned ? gpu::unit_owner::pinned : gpu::unit_owner::cached);
}

void entry_index::abandon(const slot_ptr& slot, bool invalid) {
  WEFT_ASSERT(slot->state == slot_state::computing);
  slot->state = slot_state::abandoned;
  if (invalid) {
    relabel(*slot->entry, gpu::unit_owner::quarantined);
    remember(slot->wanted.key, verdict_reason::invalid);
  }
  slot->entry.reset();
  if (holds(slot)) ++abandoned_;
}

bool entry_index::drop_invalid(const slot_ptr& slot) {
  if (!holds(slot)) return false;
  drop(slot, verdict_reason::invalid);
  return true;
}

bool entry_index::evict(const cache_units& wanted) {
  if (wanted.none()) return true;
  std::vector<eviction_candidate> known;
  std::unordered_map<std::uint64_t, slot_ptr> by_serial;
  for (const auto& [key, slot] : slots_) {
    if (slot->state != slot_state::resident) continue;
    known.push_back({.id = slot->serial,
                     .units = units_of(*slot->entry),
                     .last_use = slot->last_use,
                     .pinned = slot->wanted.pinned,
                     .holders = slot.use_count() - 1,  // One is the index itself.
                     .uses = slot->uses,
                     .recompute_ms = predict_ms(prices_, slot->wanted.remake),
                     .bytes = bytes_of(units_of(*slot->entry), terms_.bytes)});
  }
  const auto victims = choose_victims(terms_.policy, std::move(known), wanted,
                                      {.now = uses_, .half_life = terms_.half_life_uses});
  if (!victims) return false;
  for (const auto& [key, slot] : slots_) by_serial.emplace(slot->serial, slot);
  for (const std::uint64_t serial : *victims) {
    drop(by_serial.at(serial), verdict_reason::evicted);
    by_serial.erase(serial);
    ++evictions_;
  }
  return true;
}

cache_units entry_index::evictable() const {
  cache_units sum;
  for (const auto& [key, slot] : slots_)
    if (slot->state == slot_state::resident && !slot->wanted.pinned && slot.use_count() == 1)
      sum += units_of(*slot->entry);
  return sum;
}

void entry_index::drop_unpinned() {
  std::vector<slot_ptr> going;
  for (const auto& [key, slot] : slots_)
    if (slot->state == slot_state::resident && !slot->wanted.pinned) going.push_back(slot);
  for (const slot_ptr& slot : going) drop(slot, verdict_reason::evicted);
}

void entry_index::sweep_abandoned() {
  if (abandoned_ == 0) return;
  abandoned_ -= static_cast<std::int64_t>(std::erase_if(slots_, [](const auto& item) {
    return item.second->state == slot_state::abandoned && item.second.use_count() == 1;
  }));
}

std::int64_t entry_index::entries() const {
  std::int64_t count = 0;
  for (const auto& [key, slot] : slots_) count += slot->state == slot_state::resident ? 1 : 0;
  return count;
}

cache_units entry_index::units() const {
  cache_units sum;
  for (const auto& [key, slot] : slots_)
    if (slot->state == slot_state::resident) sum += units_of(*slot->entry);
  return sum;
}

bool entry_index::holds(const slot_ptr& slot) const {
  const auto found = slots_.find(slot->wanted.key);
  return found != slots_.end() && found->second == slot;
}

void entry_index::drop(const slot_ptr& slot, verdict_reason why) {
  // Whoever still uses the entry holds its units from now on.
  if (slot->state == slot_state::resident)
    relabel(*slot->entry, why == verdict_reason::invalid ? gpu::unit_owner::quarantined
                                                         : gpu::unit_owner::in_flight);
  if (slot->state == slot_state::abandoned) --abandoned_;
  const messages::entry_key key = slot->wanted.key;
  slots_.erase(key);
  remember(key, why);
}

void entry_index::remember(const messages::entry_key& key, verdict_reason why) {
  if (!gone_.insert_or_assign(key, why).second) return;
  gone_order_.push_back(key);
  if (gone_order_.size() <= remembered_max) return;
  gone_.erase(gone_order_.front());
  gone_order_.pop_front();
}

}  // namespace weft::actors
