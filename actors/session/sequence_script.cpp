#include "actors/session/sequence_script.hpp"

#include <algorithm>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

constexpr std::int64_t never_given = -1;

std::int64_t left_of(const script_item& item) {
  return static_cast<std::int64_t>(item.tokens.size()) - item.done;
}

}  // namespace

lane sequence_script::remaining() const {
  lane left;
  std::vector<std::int64_t> needs;
  for (std::size_t index = next_; index < items_.size(); ++index) {
    const script_item& item = items_[index];
    if (item.what == script_act::run || item.what == script_act::make) {
      left.runs.push_back({.tokens = left_of(item), .needs = std::move(needs)});
      needs.clear();
      continue;
    }
    if (item.slot->state == slot_state::resident) continue;
    // Only a request's own isolated sequences may complete an entry in the step that splices it: so
    // a maker's failure never reaches into another request.
    const bool own = item.what == script_act::splice && item.slot->state == slot_state::computing &&
                     item.slot->maker == options_.maker;
    needs.push_back(own ? static_cast<std::int64_t>(item.slot->serial) : never_given);
  }
  return left;
}

sequence_script::cut sequence_script::take(std::int64_t tokens) {
  WEFT_ASSERT(tokens > 0);
  cut taken;
  while (tokens > 0) {
    WEFT_ASSERT(next_ < items_.size());
    script_item& item = items_[next_];
    if (item.what == script_act::splice) {
      taken.work.emplace_back(gpu::splice_entry{.what = item.slot->entry,
                                                .apply_transition = options_.apply_transition,
                                                .turn_keys = options_.turn_keys});
      ++taken.splices;
      ++next_;
      continue;
    }
    if (item.what == script_act::restore) {
      taken.work.emplace_back(gpu::restore_checkpoint{item.slot->entry});
      ++taken.splices;
      ++next_;
      continue;
    }
    const std::int64_t run = std::min(tokens, left_of(item));
    take_run(item, run, taken);
    tokens -= run;
    if (left_of(item) == 0) ++next_;
  }
  taken.finished = next_ == items_.size();
  return taken;
}

void sequence_script::take_run(script_item& item, std::int64_t tokens, cut& into) const {
  const auto first = item.tokens.begin() + item.done;
  gpu::run_tokens run;
  run.tokens.assign(first, first + tokens);
  run.starts_grid = item.done == 0;
  const bool ends_item = tokens == left_of(item);
  if (options_.want_scores && item.what == script_act::run) {
    // A row's target is the token after it. Where that one is not in context the row's own token
    // stands in: the engine gives an argmax only for rows with a target.
    run.targets.assign(first + 1, first + tokens);
    const token_id own = *(first + tokens - 1);
    run.targets.push_back(ends_item ? item.following.value_or(own) : *(first + tokens));
  }
  if (ends_item && &item == &items_.back()) {
    run.draw = options_.draw;
    run.want_logits = options_.want_logits;
  }
  const bool makes = item.what == script_act::make;
  if (makes && item.done == 0)
    into.work.emplace_back(
        gpu::begin_entry{.what = item.slot->entry, .with_transition = options_.with_transitions});
  into.work.emplace_back(std::move(run));
  if (makes && ends_item) {
    into.work.emplace_back(gpu::end_entry{});
    into.made.push_back(item.slot);
  }
  into.shares.push_back({.segment = item.segment, .rows = tokens});
  into.rows += tokens;
  item.done += tokens;
}

void sequence_script::make_here(const slot_ptr& slot) {
  for (std::size_t index = next_; index < items_.size(); ++index) {
    script_item& item = items_[index];
    if (item.slot != slot || item.what != script_act::restore) continue;
    item.what = script_act::make;
    return;
  }
  WEFT_ASSERT(false);
}

}  // namespace weft::actors
