#include "actors/session/entry_work.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {

status entry_work::open(unit_desk& desk, const cache_units& besides) {
  if (status fits = check_fits(plan_, desk.engine().counts(), desk.engine().traits()); !fits)
    return fits;
  look_up();
  claims wanted = missing_units(desk);
  wanted.now += besides;
  wanted.later += wanted.now;
  status opened;
  if (!desk.admits(wanted.later) || !desk.make_room(wanted.now))
    opened = overloaded("the pools have no room for the request now; retry when others finish");
  else
    opened = take_missing(desk);
  if (!opened) {
    release(desk);
    return opened;
  }
  for (const entry_use& use : uses_) index_.count_use(use.slot);
  return {};
}

void entry_work::look_up() {
  uses_.assign(plan_.entries.size(), {});
  // Last to first: the head of a chain, without which the rest is worth nothing, stays longest.
  for (std::size_t use = uses_.size(); use-- > 0;) {
    const entry_wanted& wanted = plan_.entries[use];
    const slot_ptr slot = index_.find(wanted);
    uses_[use] = {.slot = slot,
                  .warm = slot != nullptr && slot->state == slot_state::resident,
                  .cause = slot != nullptr ? slot->cause : index_.absence(wanted.key)};
  }
  tell_as_first_found();
}

void entry_work::tell_as_first_found() {
  for (std::size_t use = 0; use < first_uses_.size(); ++use) {
    entry_use& now = uses_[use];
    if (is_bad(plan_.entries[use].key)) {
      now.warm = false;
      now.cause = verdict_reason::invalid;
    } else if (now.warm) {
      // Made by this request meanwhile, or there all the time.
      now.warm = first_uses_[use].warm;
      now.cause = first_uses_[use].cause;
    }
  }
}

entry_work::claims entry_work::missing_units(unit_desk& desk) {
  claims wanted;
  std::unordered_set<messages::entry_key> seen;
  bool isolates = false;
  bool awaits = false;
  for (std::size_t use = 0; use < uses_.size(); ++use) {
    const entry_wanted& entry = plan_.entries[use];
    const bool splice = entry.kind == gpu::entry_kind::splice;
    if (uses_[use].slot != nullptr) {
      awaits = awaits || (splice && uses_[use].slot->state == slot_state::computing);
      continue;
    }
    if (!seen.insert(entry.key).second) continue;
    wanted.now += units_of(entry);
    isolates = isolates || splice;
  }
  if (!isolates && !awaits) return wanted;
  cache_units& when = isolates ? wanted.now : wanted.later;
  when += sequence_units(plan_.isolated_runs);
  if (!behind_anchor()) return wanted;
  // Held from here on by those who isolate, lest making room evicts it.
  if (isolates) anchor_ = desk.cache().find(*plan_.anchor);
  if (!desk.cache().has(plan_.anchor->key)) when += units_of(*plan_.anchor);
  return wanted;
}

status entry_work::take_missing(unit_desk& desk) {
  for (std::size_t use = 0; use < uses_.size(); ++use) {
    if (uses_[use].slot != nullptr) continue;
    const entry_wanted& wanted = plan_.entries[use];
    if (slot_ptr repeat = index_.find(wanted)) {
      uses_[use].slot = std::move(repeat);
      continue;
    }
    if (wanted.kind == gpu::entry_kind::splice)
      if (const status ready = ensure_anchor(desk); !ready) return ready;
    auto room = desk.entry(wanted);
    if (!room) return room.error();
    uses_[use].slot = index_.claim(wanted, id_, std::move(room).value());
    if (wanted.kind == gpu::entry_kind::splice) add_isolated(use);
  }
  if (!isolated_.empty() && !seat(desk, isolated_.front()))
    return overloaded("the pools have no room for an isolated prefill now");
  return {};
}

status entry_work::ensure_anchor(unit_desk& desk) {
  if (!behind_anchor() || (anchor_ != nullptr && anchor_->state != slot_state::abandoned))
    return {};
  if (anchor_ == nullptr) anchor_ = desk.cache().find(*plan_.anchor);
  if (anchor_ != nullptr && anchor_->state != slot_state::abandoned) return {};
  if (!desk.make_room(units_of(*plan_.anchor)))
    return overloaded("the pools have no room for the anchor now");
  auto room = desk.entry(*plan_.anchor);
  if (!room) return room.error();
  if (anchor_ == nullptr)
    anchor_ = desk.cache().claim(*plan_.anchor, id_, std::move(room).value());
  else
    desk.cache().claim_again(anchor_, id_, std::move(room).value());
  add_anchor_prefill();
  return {};
}

void entry_work::keep_going(unit_desk& desk, sequence_script& context) {
  if (anchor_ != nullptr && anchor_->state == slot_state::abandoned && !isolated_.empty())
    if (!ensure_anchor(desk)) return;
  for (std::size_t use = 0; use < uses_.size(); ++use)
    if (uses_[use].slot->state == slot_state::abandoned)
      if (!take_over(desk, use, context)) break;
  seat_anchor_first();
  if (seated() || isolated_.empty()) return;
  if (desk.make_room(sequence_units(plan_.isolated_runs))) seat(desk, isolated_.front());
}

status entry_work::take_over(unit_desk& desk, std::size_t use, sequence_script& context) {
  const entry_wanted& wanted = plan_.entries[use];
  const bool isolates = wanted.kind == gpu::entry_kind::splice;
  if (isolates)
    if (const status ready = ensure_anchor(desk); !ready) return ready;
  if (!desk.make_room(units_of(wanted)))
    return overloaded("the pools have no room to take an abandoned entry over now");
  auto room = desk.entry(wanted);
  if (!room) return room.error();
  index_.claim_again(uses_[use].slot, id_, std::move(room).value());
  if (isolates)
    add_isolated(use);
  else
    context.make_here(uses_[use].slot);
  return {};
}

// What waits for an anchor gives it the seat: it could not begin before.
void entry_work::seat_anchor_first() {
  if (isolated_.empty() || isolated_.front().slot != anchor_ ||
      isolated_.front().sequence != nullptr)
    return;
  for (isolated_prefill& prefill : isolated_)
    if (prefill.sequence != nullptr && prefill.sequence->tokens == 0)
      return isolated_.front().sequence.swap(prefill.sequence);
}

bool entry_work::seated() const {
  return std::any_of(isolated_.begin(), isolated_.end(),
                     [](const auto& prefill) { return prefill.sequence != nullptr; });
}

void entry_work::promise(promise_book& book, const unit_desk& desk) const {
  bool makes_alone = !isolated_.empty();
  for (const entry_use& use : uses_) {
    if (use.slot->state == slot_state::resident) continue;
    if (use.slot->state == slot_state::abandoned)
      book.add_abandoned(use.slot, units_of(use.slot->wanted));
    makes_alone = makes_alone || use.slot->wanted.kind == gpu::entry_kind::splice;
  }
  if (!makes_alone) return;
  if (!seated()) book.add(sequence_units(plan_.isolated_runs));
  if (behind_anchor() && !desk.cache().has(plan_.anchor->key))
    book.add_anchor(units_of(*plan_.anchor));
}

bool entry_work::widen(unit_desk& desk) {
  if (!desk.can_spare(sequence_units(plan_.isolated_runs))) return false;
  for (isolated_prefill& prefill : isolated_)
    if (prefill.sequence == nullptr) return seat(desk, prefill);
  return false;
}

bool entry_work::seat(unit_desk& desk, isolated_prefill& prefill) {
  auto sequence = desk.sequence(plan_.isolated_runs);
  if (!sequence) return false;
  prefill.sequence = std::move(sequence).value();
  return true;
}

void entry_work::add_isolated(std::size_t use) {
  const prompt_piece& piece = piece_of(use);
  const std::span<const token_id> tokens = plan_.asked.segments[piece.segment].tokens;
  const auto begin = static_cast<std::size_t>(piece.begin);
  std::vector<script_item> items;
  if (behind_anchor())
    items.push_back({.what = script_act::restore, .segment = no_segment, .slot = anchor_});
  if (begin > 0)
    items.push_back(
        {.what = script_act::run, .segment = piece.segment, .tokens = tokens.first(begin)});
  items.push_back({.what = script_act::make,
                   .segment = piece.segment,
                   .tokens = tokens.subspan(begin, static_cast<std::size_t>(piece.tokens())),
                   .slot = uses_[use].slot});
  isolated_.push_back(
      {.slot = uses_[use].slot,
       .script = sequence_script(std::move(items),
                                 {.maker = id_, .with_transitions = plan_.asked.with_transitions}),
       .sequence = nullptr,
       .behind_anchor = behind_anchor()});
}

void entry_work::add_anchor_prefill() {
  std::vector<script_item> items = {{.what = script_act::make,
                                     .segment = no_segment,
                                     .tokens = anchor_->wanted.ids,
                                     .slot = anchor_}};
  isolated_.push_front({.slot = anchor_,
                        .script = sequence_script(std::move(items), {.maker = id_}),
                        .sequence = nullptr});
}

void entry_work::complete(unit_desk& desk, const slot_ptr& slot) {
  index_of(desk, slot).complete(slot);
}

void entry_work::erase_finished() {
  isolated_.remove_if([](const isolated_prefill& prefill) { return prefill.finished; });
}

void entry_work::release(unit_desk& desk, const slot_ptr& culprit) {
  isolated_.clear();
  for (entry_use& use : uses_) {
    if (use.slot != nullptr && makes(use.slot)) index_.abandon(use.slot, use.slot == culprit);
    use.slot.reset();
  }
  if (anchor_ != nullptr && makes(anchor_)) desk.cache().abandon(anchor_, anchor_ == culprit);
  anchor_.reset();
}

void entry_work::acquit_used(unit_desk& desk) const {
  for (const entry_use& use : uses_) desk.bad_keys().acquit(use.slot->wanted.key);
  if (anchor_ != nullptr) desk.bad_keys().acquit(anchor_->wanted.key);
}

void entry_work::suspect_used(unit_desk& desk) {
  for (const entry_use& use : uses_)
    if (use.slot != nullptr && use.slot->state == slot_state::resident)
      if (index_of(desk, use.slot).drop_invalid(use.slot)) desk.bad_keys().suspect();
}

void entry_work::suspect_anchor(unit_desk& desk) {
  if (anchor_ != nullptr && anchor_->state == slot_state::resident)
    if (desk.cache().drop_invalid(anchor_)) desk.bad_keys().suspect();
}

slot_ptr entry_work::slot_of(const gpu::entry& what) const {
  if (anchor_ != nullptr && anchor_->entry.get() == &what) return anchor_;
  for (const entry_use& use : uses_)
    if (use.slot != nullptr && use.slot->entry.get() == &what) return use.slot;
  return nullptr;
}

bool entry_work::uses(const slot_ptr& slot) const {
  return slot == anchor_ || std::any_of(uses_.begin(), uses_.end(),
                                        [&slot](const auto& use) { return use.slot == slot; });
}

void entry_work::condemn(unit_desk& desk, const slot_ptr& slot) {
  entry_index& of = index_of(desk, slot);
  if (makes(slot))
    of.abandon(slot, true);
  else
    of.drop_invalid(slot);
}

void entry_work::begin_again(unit_desk& desk, const messages::entry_key& bad) {
  release(desk);
  first_uses_ = uses_;
  if (!is_bad(bad)) bad_.push_back(bad);
}

bool entry_work::is_bad(const messages::entry_key& key) const {
  return std::find(bad_.begin(), bad_.end(), key) != bad_.end();
}

std::optional<std::size_t> entry_work::segment_of(const slot_ptr& slot) const {
  for (std::size_t use = 0; use < uses_.size(); ++use)
    if (uses_[use].slot == slot) return piece_of(use).segment;
  return std::nullopt;
}

entry_index& entry_work::index_of(unit_desk& desk, const slot_ptr& slot) {
  return slot == anchor_ ? desk.cache() : index_;
}

const prompt_piece& entry_work::piece_of(std::size_t use) const {
  std::size_t seen = 0;
  for (const prompt_piece& piece : plan_.layout.pieces)
    if (piece.kind != piece_kind::run && seen++ == use) return piece;
  WEFT_ASSERT(false);
  return plan_.layout.pieces.front();
}

}  // namespace weft::actors
