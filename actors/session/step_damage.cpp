#include "actors/session/step_damage.hpp"

namespace weft::actors {

void step_damage::note(request_run& run, const gpu::sequence_outcome& told) {
  for (const gpu::entry* bad : told.bad_entries)
    if (const slot_ptr slot = run.entries().slot_of(*bad); slot != nullptr)
      found_.push_back({.by = &run, .slot = slot});
}

bool step_damage::settle(const std::list<std::unique_ptr<request_run>>& running, unit_desk& desk) {
  bool failed = false;
  for (const finding& each : found_)
    if (!times_.contains(each.slot)) condemn(each, desk);
  for (const finding& each : found_) {
    if (each.by->finished()) continue;
    const bool again =
        times_.at(each.slot) >= quarantine::times_max || each.by->entries().was_bad(each.slot);
    if (!again) continue;
    failed = true;
    each.by->fail_by_entry(desk, each.slot);
  }
  // Nobody knows since when the entry is bad: whoever took it up before may carry the damage on.
  for (const slot_ptr& slot : damaged_)
    for (const auto& run : running)
      if (run->entries().uses(slot)) found_.push_back({.by = run.get(), .slot = slot});
  for (const finding& each : found_)
    if (!each.by->finished()) each.by->begin_again(desk, each.slot->wanted.key);
  return failed;
}

void step_damage::condemn(const finding& found, unit_desk& desk) {
  const bool made = found.slot->state == slot_state::computing;
  const auto why = made ? quarantine_reason::made : quarantine_reason::damaged;
  times_[found.slot] = desk.bad_keys().condemn(found.slot->wanted.key, why);
  if (!made) damaged_.push_back(found.slot);
  found.by->entries().condemn(desk, found.slot);
  // A number far too large in the anchor makes what stands behind it none.
  if (made) found.by->entries().suspect_anchor(desk);
}

}  // namespace weft::actors
