// The entries of one request: those it uses, those it awaits, and those it makes in isolated
// sequences.
//
// Everything that a request can be the only one to make is taken from the pools when it opens, with
// one isolated sequence to make it in. What it may have to make in another's place later is
// promised to it, so that no request can wait for another for ever.
//
// Threads: the session's. Lifetime: plan and index outlive this.
#pragma once

#include <cstdint>
#include <list>
#include <optional>
#include <vector>

#include "actors/session/promise_book.hpp"
#include "actors/session/request_plan.hpp"
#include "actors/session/sequence_script.hpp"
#include "actors/session/unit_desk.hpp"

namespace weft::actors {

// One of the plan's entries, as it stood when the request was planned.
struct entry_use {
  slot_ptr slot;
  bool warm = false;
  verdict_reason cause = verdict_reason::new_segment;  // Of a cold one.
};

// An entry that is being made in a sequence of its own.
struct isolated_prefill {
  slot_ptr slot;
  sequence_script script;
  std::unique_ptr<gpu::sequence> sequence;  // Null until there is room for it.
  bool behind_anchor = false;
  bool finished = false;
};

class entry_work {
 public:
  // `index`: the shared one, or the request's own where it does not use the cache.
  entry_work(const request_plan& plan, std::uint64_t id, entry_index& index)
      : plan_(plan), id_(id), index_(index) {}

  // Looks the entries up and takes room for those that are missing. `besides`: units that the
  // request wants at the same time. On failure nothing is held; `overloaded`: does not fit now;
  // `rejected`: can never fit.
  status open(unit_desk& desk, const cache_units& besides);

  // Takes over entries whose makers gave up (as far as there is room), and sees that work goes on
  // in at least one isolated sequence. `context`: the script that makes the checkpoints.
  void keep_going(unit_desk& desk, sequence_script& context);

  // One more isolated sequence if that costs no cached entry and no promise. False: none wanted, or
  // no room.
  bool widen(unit_desk& desk);

  // Enters what `keep_going` may yet take. Requires: open.
  void promise(promise_book& book, const unit_desk& desk) const;

  // An entry of `finished` or of the context script is complete.
  void complete(unit_desk& desk, const slot_ptr& slot);
  void erase_finished();

  // Gives up what is unfinished and lets go of everything. `culprit`: the slot whose entry came out
  // wrong, or null.
  void release(unit_desk& desk, const slot_ptr& culprit = nullptr);

  // An answer came of the entries in use.
  void acquit_used(unit_desk& desk) const;

  // The entries in use may be what made the context fail: they are never offered again.
  void suspect_used(unit_desk& desk);
  void suspect_anchor(unit_desk& desk);

  // The slot in use that holds `what`; null if none does.
  slot_ptr slot_of(const gpu::entry& what) const;
  bool uses(const slot_ptr& slot) const;
  // The slot's entry is bad: it leaves its index, made or still being made by this request.
  void condemn(unit_desk& desk, const slot_ptr& slot);

  // Lets go of everything to open once more, since the entry of `bad` turned out bad. What the
  // first opening found stays what the receipts say, but for bad entries and those that are gone.
  void begin_again(unit_desk& desk, const messages::entry_key& bad);
  bool was_bad(const slot_ptr& slot) const { return is_bad(slot->wanted.key); }
  // The first segment of the prompt whose entry `slot` is to be; nullopt for the anchor.
  std::optional<std::size_t> segment_of(const slot_ptr& slot) const;

  const std::vector<entry_use>& uses() const { return uses_; }
  std::list<isolated_prefill>& isolated() { return isolated_; }
  bool makes(const slot_ptr& slot) const {
    return slot->state == slot_state::computing && slot->maker == id_;
  }

 private:
  void look_up();
  void tell_as_first_found();
  bool is_bad(const messages::entry_key& key) const;
  struct claims {
    cache_units now;
    cache_units later;  // If makers of awaited entries give up.
  };
  claims missing_units(unit_desk& desk);
  status take_missing(unit_desk& desk);
  status ensure_anchor(unit_desk& desk);
  status take_over(unit_desk& desk, std::size_t use, sequence_script& context);
  void add_isolated(std::size_t use);
  void add_anchor_prefill();
  bool seat(unit_desk& desk, isolated_prefill& prefill);
  void seat_anchor_first();
  bool seated() const;
  bool behind_anchor() const { return plan_.anchor.has_value(); }
  entry_index& index_of(unit_desk& desk, const slot_ptr& slot);
  const prompt_piece& piece_of(std::size_t use) const;

  const request_plan& plan_;
  std::uint64_t id_;
  entry_index& index_;
  std::vector<entry_use> uses_;           // One per plan entry.
  std::vector<entry_use> first_uses_;     // As first found, without slots; set by begin_again.
  std::vector<messages::entry_key> bad_;  // Keys whose entries made this request begin again.
  slot_ptr anchor_;                       // Set once something is to be made behind it.
  std::list<isolated_prefill> isolated_;
};

}  // namespace weft::actors
