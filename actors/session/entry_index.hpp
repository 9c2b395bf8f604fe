// Which entries are known, by key: absent, computing (one maker per key), resident, abandoned.
//
// The index owns no device memory; it holds entries, which hold their leases, and keeps the pools'
// accounts (`cached`, `pinned`) true. Entries in use outlive their removal, since requests hold
// slots.
//
// Threads: the session's.
#pragma once

#include <cstdint>
#include <deque>
#include <unordered_map>

#include "actors/session/entry_slot.hpp"
#include "policies/cost/cost_model.hpp"
#include "policies/eviction/cache_units.hpp"
#include "policies/eviction/eviction_policy.hpp"

namespace weft::actors {

// Units that `entry` holds in the pools.
cache_units units_of(const gpu::entry& entry);

// How victims are chosen, and what by.
struct eviction_terms {
  eviction_policy policy = eviction_policy::least_recent;
  unit_bytes bytes = {};
  std::uint64_t half_life_uses = 1;  // Of reuse.
};

class entry_index {
 public:
  // `shared`: entries count as cached once complete. A private index serves one request that does
  // not use the cache: its entries stay in flight.
  explicit entry_index(bool shared, const eviction_terms& terms = {})
      : shared_(shared), terms_(terms) {}

  // The slot that computes or holds `wanted`, made the most recently used; null when there is none.
  // A slot of equal key and other ids is dropped as invalid: it can be trusted by nobody.
  slot_ptr find(const entry_wanted& wanted);

  // Whether `find` would find one by that key; nothing is touched.
  bool has(const messages::entry_key& key) const;

  // The resident entry's slot of that key, made the most recently used; null when there is none.
  slot_ptr resident(const messages::entry_key& key);

  // A request that started uses the slot. `find` alone is none: who waits for room looks often.
  void count_use(const slot_ptr& slot);

  // Why `find` found nothing: `evicted` or `invalid` for keys that were here lately, else
  // `new_segment`. What other scopes hold is never told apart from `new_segment`.
  verdict_reason absence(const messages::entry_key& key) const;

  // Opens (or takes over an abandoned) slot: `maker` promises to fill `room`.
  // Requires: find(wanted) is null.
  slot_ptr claim(const entry_wanted& wanted, std::uint64_t maker, std::shared_ptr<gpu::entry> room);

  // As above, for a slot whose maker gave up. Requires: slot->state is abandoned.
  void claim_again(const slot_ptr& slot, std::uint64_t maker, std::shared_ptr<gpu::entry> room);

  // The entry is complete and there for everyone. Requires: computing.
  void complete(const slot_ptr& slot);

  // The maker gives up and its memory goes back. `invalid`: since the entry came out wrong; who
  // still holds it holds it in quarantine.
  // Requires: computing.
  void abandon(const slot_ptr& slot, bool invalid);

  // A resident entry that is bad or under suspicion: never offered again, its units quarantined
  // until the last user lets go. False: it was not offered any more.
  bool drop_invalid(const slot_ptr& slot);

  // Evicts what the policy chooses until `wanted` more units are free. False: what may go is not
  // enough, and nothing went.
  bool evict(const cache_units& wanted);

  // All that `evict` could free: resident entries that are neither pinned nor in use.
  cache_units evictable() const;

  // What making an entry again costs, for choices by value.
  void reprice(const cost_coefficients& prices) { prices_ = prices; }

  // Drops every resident entry that is not pinned. Requests that use one keep it.
  void drop_unpinned();

  // Forgets abandoned slots that nobody awaits.
  void sweep_abandoned();

  std::int64_t entries() const;
  std::int64_t evictions() const { return evictions_; }
  cache_units units() const;  // Of resident entries.

 private:
  bool holds(const slot_ptr& slot) const;
  void drop(const slot_ptr& slot, verdict_reason why);
  void remember(const messages::entry_key& key, verdict_reason why);

  bool shared_;
  eviction_terms terms_;
  cost_coefficients prices_;
  std::unordered_map<messages::entry_key, slot_ptr> slots_;
  std::unordered_map<messages::entry_key, verdict_reason> gone_;
  std::deque<messages::entry_key> gone_order_;  // Oldest first; bounds `gone_`.
  std::uint64_t looks_ = 0;                     // Of `find` and `claim`: the order of last uses.
  std::uint64_t uses_ = 0;                      // Of `count_use`: the time that reuse fades by.
  std::int64_t abandoned_ = 0;
  std::int64_t evictions_ = 0;
};

}  // namespace weft::actors
