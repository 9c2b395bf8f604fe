// What live requests may yet take from the pools before they end, added up.
//
// A request takes at its start all that it alone can make. What may come later: an entry that
// another request makes and gives up, one isolated sequence to make such entries in, and the anchor
// behind them. An entry that several await is made by one of them, so it counts once; while its
// maker lives, the maker holds the units and nothing is promised.
#pragma once

#include <unordered_set>

#include "actors/session/entry_slot.hpp"
#include "policies/eviction/cache_units.hpp"

namespace weft::actors {

class promise_book {
 public:
  void add(const cache_units& units) { promised_ += units; }

  // Once for all who await `slot`, an abandoned one.
  void add_abandoned(const slot_ptr& slot, const cache_units& units) {
    if (abandoned_.insert(slot.get()).second) promised_ += units;
  }

  // Once for all who would need an anchor that is not there.
  void add_anchor(const cache_units& units) {
    if (!anchor_) promised_ += units;
    anchor_ = true;
  }

  const cache_units& promised() const { return promised_; }

 private:
  cache_units promised_;
  std::unordered_set<const entry_slot*> abandoned_;
  bool anchor_ = false;
};

}  // namespace weft::actors
