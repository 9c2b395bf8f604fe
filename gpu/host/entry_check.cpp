#include "gpu/host/entry_check.hpp"

#include <algorithm>
#include <functional>

#include "gpu/host/finite_floats.hpp"

namespace weft::gpu {
namespace {

using entry_list = std::vector<const entry*>;

// Floats of a piece: 256 KiB, large enough to hide its claiming, small enough to share out evenly.
constexpr std::int64_t piece_floats = 65536;

bool holds(const entry_list& list, const entry* one) {
  return std::find(list.begin(), list.end(), one) != list.end();
}

void add_once(entry_list& list, const entry* one) {
  if (!holds(list, one)) list.push_back(one);
}

// The entry that `work` reads, or null.
const entry* read_by(const sequence_work& work) {
  if (const auto* splice = std::get_if<splice_entry>(&work)) return splice->what.get();
  if (const auto* restore = std::get_if<restore_checkpoint>(&work)) return restore->what.get();
  return nullptr;
}

const entry* read_by(const batch_work& work) {
  if (const auto* splice = std::get_if<batch_splice>(&work)) return splice->what;
  if (const auto* restore = std::get_if<batch_restore>(&work)) return restore->what;
  return nullptr;
}

// Takes the step away from a sequence that would read one of `bad`, or wait for one of `lost`:
// entries that sequences before it were to make in this step.
void hold_back(sequence_step& step, sequence_outcome& outcome, const entry_list& bad,
               entry_list& lost) {
  bool waits = false;
  for (const sequence_work& work : step.work) {
    const entry* read = read_by(work);
    if (holds(bad, read)) add_once(outcome.bad_entries, read);
    waits = waits || holds(lost, read);
  }
  if (outcome.bad_entries.empty() && !waits) return;
  outcome.error =
      outcome.bad_entries.empty()
          ? broken("an entry that this step was to make is missing, since it needs a damaged one")
          : broken("a cached entry holds NaN or infinity: its memory went bad after it was made");
  if (step.target->building) add_once(lost, step.target->building.get());
  for (const sequence_work& work : step.work)
    if (const auto* begin = std::get_if<begin_entry>(&work)) add_once(lost, begin->what.get());
  step.work.clear();
}

void blame(sequence_outcome& outcome, const entry* bad) {
  add_once(outcome.bad_entries, bad);
  outcome.error = broken("an entry came out with NaN or infinity");
}

// Nothing that came of a sequence may be used once it went wrong.
void drop_results(sequence_outcome& outcome) {
  outcome.token.reset();
  outcome.logits.clear();
  outcome.scores.clear();
}

void forget(std::vector<sequence_outcome>& outcomes, std::size_t count) {
  outcomes.resize(count);
  for (sequence_outcome& each : outcomes) {
    each.error.reset();
    each.bad_entries.clear();
    drop_results(each);
  }
}

}  // namespace

// True the first time that `one` is asked about since `seen_` was cleared.
bool entry_check::is_new(const entry* one) {
  const auto at = std::lower_bound(seen_.begin(), seen_.end(), one, std::less<>());
  if (at != seen_.end() && *at == one) return false;
  seen_.insert(at, one);
  return true;
}

void entry_check::list_read(const step_plan& plan) {
  listed_.clear();
  seen_.clear();
  for (const auto* steps : {&plan.isolated, &plan.context})
    for (const sequence_step& step : *steps)
      for (const sequence_work& work : step.work)
        if (const entry* read = read_by(work); read != nullptr && read->complete && is_new(read))
          listed_.push_back(read);
}

void entry_check::add_state(std::size_t index, const entry& of) {
  const float* state = memory_.states.unit(of.state_slot.id());
  const std::int64_t floats = layout_.state_slot_floats();
  for (std::int64_t first = 0; first < floats; first += piece_floats)
    pieces_.push_back(
        {.index = index, .at = state + first, .count = std::min(piece_floats, floats - first)});
  if (of.kind != entry_kind::splice) return;
  // Where the gates closed, T is what the last chunk before that left: nobody reads it.
  const float* matrices = memory_.transitions.unit(of.transition_slot.id());
  const std::int64_t head = layout_.head_transition_floats();
  for (std::size_t flag = 0; flag < of.closed.size(); ++flag)
    if (of.closed[flag] == 0)
      pieces_.push_back(
          {.index = index, .at = matrices + static_cast<std::int64_t>(flag) * head, .count = head});
}

void entry_check::add_pages(std::size_t index, const entry& of) {
  const std::int64_t floats = memory_.pages.unit_floats();
  const std::int64_t dim = shape_.attention.head_dim;
  for (std::int64_t first = 0; first < of.tokens; first += page_tokens) {
    const float* page =
        memory_.pages.unit(of.pages[static_cast<std::size_t>(first / page_tokens)].id());
    const std::int64_t tokens = std::min(page_tokens, of.tokens - first);
    if (tokens == page_tokens) {
      for (std::int64_t at = 0; at < floats; at += piece_floats)
        pieces_.push_back(
            {.index = index, .at = page + at, .count = std::min(piece_floats, floats - at)});
      continue;
    }
    // Beyond the last token lies what earlier holders of the page left there.
    const std::int64_t heads = shape_.attention_layers() * shape_.attention.key_value_heads;
    for (std::int64_t head = 0; head < heads; ++head) {
      const float* keys = page + head * 2 * dim * page_tokens;
      pieces_.push_back(
          {.index = index, .at = keys, .count = tokens, .rows = dim, .stride = page_tokens});
      pieces_.push_back({.index = index, .at = keys + dim * page_tokens, .count = tokens * dim});
    }
  }
}

std::vector<const entry*> entry_check::bad_of(const std::vector<const entry*>& entries) {
  pieces_.clear();
  seen_.clear();
  for (std::size_t index = 0; index < entries.size(); ++index) {
    if (!is_new(entries[index])) continue;
    add_state(index, *entries[index]);
    add_pages(index, *entries[index]);
  }
  bad_.assign(pieces_.size(), 0);
  pool_.run(static_cast<std::int64_t>(pieces_.size()), [&](std::int64_t at, int) {
    const piece& mine = pieces_[static_cast<std::size_t>(at)];
    bool whole = true;
    for (std::int64_t row = 0; row < mine.rows; ++row)
      whole = all_finite(mine.at + row * mine.stride, mine.count) && whole;
    bad_[static_cast<std::size_t>(at)] = whole ? 0 : 1;
  });
  entry_list found;
  for (std::size_t at = 0; at < pieces_.size(); ++at)
    if (bad_[at] != 0) add_once(found, entries[pieces_[at].index]);
  return found;
}

void entry_check::before(step_plan& plan, step_outcome& outcome) {
  forget(outcome.isolated, plan.isolated.size());
  forget(outcome.context, plan.context.size());
  list_read(plan);
  const entry_list bad = bad_of(listed_);
  if (bad.empty()) return;
  entry_list lost;
  for (std::size_t i = 0; i < plan.isolated.size(); ++i)
    hold_back(plan.isolated[i], outcome.isolated[i], bad, lost);
  for (std::size_t i = 0; i < plan.context.size(); ++i)
    hold_back(plan.context[i], outcome.context[i], bad, lost);
}

void entry_check::after(step_batch& batch, step_outcome& outcome) {
  listed_.clear();
  batch.each([&](batch_sequence& one) {
    for (const batch_work& work : one.work)
      if (const auto* end = std::get_if<batch_end>(&work)) listed_.push_back(end->what);
  });
  const entry_list bad = bad_of(listed_);
  std::size_t place = 0;
  batch.each([&](batch_sequence& one) {
    const std::size_t at = place++;
    const bool isolated = at < outcome.isolated.size();
    sequence_outcome& told =
        isolated ? outcome.isolated[at] : outcome.context[at - outcome.isolated.size()];
    for (const batch_work& work : one.work) {
      const auto* end = std::get_if<batch_end>(&work);
      if (end != nullptr && holds(bad, end->what)) {
        end->what->complete = false;
        blame(told, end->what);
      } else if (const entry* read = read_by(work); holds(bad, read)) {
        blame(told, read);
      }
    }
    if (!told.error) return;
    drop_results(told);
    if (!told.bad_entries.empty() || one.work.empty()) return;
    entry_list held;
    for (const auto& each : one.target->held) held.push_back(each.get());
    told.bad_entries = bad_of(held);
  });
}

}  // namespace weft::gpu
