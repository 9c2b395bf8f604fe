#include "actors/session/entry_work.hpp"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {

status entry_work::open(unit_desk& desk, const cache_units& besides) {
  look_up();
  cache_units wanted = missing_units(desk);
  wanted += besides;
  status opened;
  if (!desk.make_room(wanted))
    opened = overloaded("the pools have no room for the request now; retry when others finish");
  else
    opened = take_missing(desk);
  if (!opened) release(desk);
  return opened;
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
}

cache_units entry_work::missing_units(unit_desk& desk) {
  cache_units wanted;
  std::unordered_set<messages::entry_key> seen;
  bool isolates = false;
  for (std::size_t use = 0; use < uses_.size(); ++use) {
    const entry_wanted& entry = plan_.entries[use];
    if (uses_[use].slot != nullptr || !seen.insert(entry.key).second) continue;
    wanted += units_of(entry);
    isolates = isolates || entry.kind == gpu::entry_kind::splice;
  }
  if (!isolates) return wanted;
  wanted += sequence_units(plan_.isolated_runs);
  if (!behind_anchor()) return wanted;
  anchor_ = desk.cache().find(*plan_.anchor);  // Held from here on, lest making room evicts it.
  if (anchor_ == nullptr) wanted += units_of(*plan_.anchor);
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
  const bool seated = std::any_of(isolated_.begin(), isolated_.end(),
                                  [](const auto& prefill) { return prefill.sequence != nullptr; });
  if (seated || isolated_.empty()) return;
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

bool entry_work::widen(unit_desk& desk) {
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

void entry_work::suspect_used(unit_desk& desk) {
  for (const entry_use& use : uses_)
    if (use.slot != nullptr && use.slot->state == slot_state::resident)
      index_of(desk, use.slot).drop_invalid(use.slot);
}

void entry_work::suspect_anchor(unit_desk& desk) {
  if (anchor_ != nullptr && anchor_->state == slot_state::resident)
    desk.cache().drop_invalid(anchor_);
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
