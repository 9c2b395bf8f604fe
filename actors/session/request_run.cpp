#include "actors/session/request_run.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

double ms_between(session_clock::time_point from, session_clock::time_point to) {
  return std::chrono::duration<double, std::milli>(to - from).count();
}

}  // namespace

request_run::request_run(std::uint64_t id, request_plan plan, entry_index& shared,
                         const token_ids& end_tokens, session_clock::time_point arrived)
    : id_(id),
      plan_(std::make_unique<const request_plan>(std::move(plan))),
      end_tokens_(end_tokens),
      work_(*plan_, id, plan_->asked.use_cache ? shared : private_index_),
      segment_ms_(plan_->layout.segments.size(), 0.0),
      arrived_(arrived) {
  answer_.times.plan_ms = since_arrival_ms();
  answer_.prompt_tokens = plan_->layout.prompt_tokens;
}

status request_run::admit(unit_desk& desk) {
  const auto began = session_clock::now();
  const std::vector<std::int64_t>& runs = plan_->layout.context_runs;
  if (const status opened = work_.open(desk, answers() ? sequence_units(runs) : cache_units());
      !opened)
    return opened;
  if (answers()) {
    auto context = desk.sequence(runs);
    if (!context) {
      release(desk);
      return context.error();
    }
    context_ = std::move(context).value();
    write_script();
  }
  if (!sent_back_) answer_.times.queue_ms = ms_between(arrived_, began) - answer_.times.plan_ms;
  sent_back_ = false;
  answer_.times.plan_ms += ms_between(began, session_clock::now());
  return {};
}

void request_run::write_script() {
  const request& asked = plan_->asked;
  const std::vector<prompt_piece>& pieces = plan_->layout.pieces;
  std::vector<script_item> items;
  std::size_t use = 0;
  for (std::size_t index = 0; index < pieces.size(); ++index) {
    const prompt_piece& piece = pieces[index];
    const std::span<const token_id> tokens = asked.segments[piece.segment].tokens;
    script_item item{.segment = piece.segment,
                     .tokens = tokens.subspan(static_cast<std::size_t>(piece.begin),
                                              static_cast<std::size_t>(piece.tokens()))};
    if (piece.kind == piece_kind::run) {
      if (index + 1 < pieces.size() && pieces[index + 1].kind == piece_kind::run) {
        const prompt_piece& next = pieces[index + 1];
        item.following = asked.segments[next.segment].tokens[static_cast<std::size_t>(next.begin)];
      } else {
        blind_rows_.insert(piece.position + piece.tokens() - 1);
      }
    } else {
      item.slot = work_.uses()[use++].slot;
      const bool makes = work_.makes(item.slot);
      if (piece.kind == piece_kind::splice)
        item.what = script_act::splice;
      else
        item.what = makes ? script_act::make : script_act::restore;
    }
    items.push_back(std::move(item));
  }
  const mode_traits& traits = traits_of(asked.mode);
  script_options options{.maker = id_,
                         .apply_transition = traits.uses_transition,
                         .turn_keys = traits.turns_keys,
                         .want_scores = asked.want_scores,
                         .want_logits = asked.want_logits};
  if (asked.new_tokens_max > 0) {
    options.draw = asked.draw;
    options.draw->index = 0;
  }
  script_ = sequence_script(std::move(items), options);
}

void request_run::settle_preparation() {
  if (answers() || finished() || sent_back_) return;
  complete_ = std::all_of(work_.uses().begin(), work_.uses().end(), [](const entry_use& use) {
    return use.slot->state == slot_state::resident;
  });
}

void request_run::keep_going(unit_desk& desk) {
  if (!prompt_done_) work_.keep_going(desk, script_);
}

gpu::sequence_work request_run::decode_row() const {
  gpu::run_tokens row{.tokens = {*last_token_},
                      .kind = gpu::row_class::decode,
                      .starts_grid = false,
                      .draw = plan_->asked.draw,
                      .targets = {}};
  row.draw->index = static_cast<std::int64_t>(answer_.tokens.size());
  return row;
}

void request_run::isolated_done(unit_desk& desk, isolated_prefill& prefill,
                                const sequence_script::cut& cut,
                                const gpu::sequence_outcome& outcome, const step_bill& bill) {
  if (outcome.error) {
    if (prefill.behind_anchor) work_.suspect_anchor(desk);
    const slot_ptr culprit = prefill.slot;  // `prefill` goes with the release.
    return fail(desk, *outcome.error, culprit);
  }
  share_bill(cut, bill);
  if (!cut.finished) return;
  prefill.finished = true;
  prefill.sequence.reset();
  work_.complete(desk, prefill.slot);
}

std::optional<token_id> request_run::context_done(unit_desk& desk, const sequence_script::cut& cut,
                                                  gpu::sequence_outcome outcome,
                                                  const step_bill& bill) {
  if (outcome.error) {
    work_.suspect_used(desk);
    slot_ptr building;
    for (const entry_use& use : work_.uses())
      if (use.slot->wanted.kind == gpu::entry_kind::checkpoint && work_.makes(use.slot) &&
          building == nullptr)
        building = use.slot;  // Checkpoints are made in order: the first open one is under way.
    fail(desk, *outcome.error, building);
    return std::nullopt;
  }
  share_bill(cut, bill);
  for (const slot_ptr& slot : cut.made) work_.complete(desk, slot);
  for (gpu::token_score& score : outcome.scores) {
    if (blind_rows_.contains(score.position))
      score.log_probability = std::numeric_limits<double>::quiet_NaN();
    answer_.scores.push_back(score);
  }
  if (!cut.finished) return std::nullopt;
  prompt_done_ = true;
  answer_.last_logits = std::move(outcome.logits);
  return take_token(desk, outcome);
}

std::optional<token_id> request_run::decode_done(unit_desk& desk,
                                                 const gpu::sequence_outcome& outcome) {
  if (outcome.error) {
    work_.suspect_used(desk);
    fail(desk, *outcome.error);
    return std::nullopt;
  }
  return take_token(desk, outcome);
}

std::optional<token_id> request_run::take_token(unit_desk& desk,
                                                const gpu::sequence_outcome& outcome) {
  last_token_.reset();
  if (plan_->asked.new_tokens_max == 0) {
    complete_ = true;
    return std::nullopt;
  }
  WEFT_ASSERT(outcome.token.has_value());
  const token_id token = *outcome.token;
  const std::size_t place = answer_.tokens.size();
  const bool repeats = place < told_.size();
  if (repeats && token != told_[place]) {
    fail(desk, broken("new token " + std::to_string(place) +
                      " was told before an entry was found damaged, and came out otherwise since; "
                      "ask again"));
    return std::nullopt;
  }
  if (std::find(end_tokens_.begin(), end_tokens_.end(), token) != end_tokens_.end()) {
    answer_.ended = complete_ = true;
    return std::nullopt;
  }
  answer_.tokens.push_back(token);
  if (static_cast<std::int64_t>(answer_.tokens.size()) == plan_->asked.new_tokens_max)
    complete_ = true;
  else
    last_token_ = token;
  if (repeats) return std::nullopt;
  return token;
}

void request_run::share_bill(const sequence_script::cut& cut, const step_bill& bill) {
  for (const auto& share : cut.shares)
    if (share.segment != no_segment)
      segment_ms_[share.segment] +=
          bill.times.total_ms * static_cast<double>(share.rows) / static_cast<double>(bill.rows);
}

void request_run::count_step(const step_bill& bill, std::int64_t splices) {
  if (answer_.times.first_token_ms > 0) return;
  answer_.times.prefill_ms += bill.times.total_ms;
  if (splices > 0)
    answer_.times.splice_ms +=
        bill.times.splice_ms * static_cast<double>(splices) / static_cast<double>(bill.splices);
  if (prompt_done_) answer_.times.first_token_ms = since_arrival_ms();
}

void request_run::fail(unit_desk& desk, failure error, const slot_ptr& culprit) {
  error_ = std::move(error);
  release(desk, culprit);
}

void request_run::fail_by_entry(unit_desk& desk, const slot_ptr& bad) {
  const auto segment = work_.segment_of(bad);
  std::string culprit = "the profile's anchor";
  if (segment)
    culprit = "segment " + std::to_string(*segment) + " (" +
              std::string(name_of(plan_->layout.segments[*segment].role)) + ")";
  // What a checkpoint grew out of may be what spoilt it.
  if (bad->wanted.kind == gpu::entry_kind::checkpoint) work_.suspect_used(desk);
  fail(desk, broken("the entry of " + culprit + ", key " + bad->wanted.key.hex().substr(0, 12) +
                    ", held NaN or infinity twice in a row; leave the segment out; if that "
                    "happens with others, doubt the checkpoint and its configuration, then "
                    "this machine"));
}

void request_run::begin_again(unit_desk& desk, const messages::entry_key& bad) {
  work_.begin_again(desk, bad);
  release(desk);
  sent_back_ = true;
  if (answer_.tokens.size() > told_.size()) told_ = answer_.tokens;
  answer_.tokens.clear();
  answer_.scores.clear();
  answer_.last_logits.clear();
  blind_rows_.clear();
  last_token_.reset();
  prompt_done_ = false;
}

void request_run::release(unit_desk& desk, const slot_ptr& culprit) {
  script_ = {};
  context_.reset();
  work_.release(desk, culprit);
}

result<answer> request_run::finish(unit_desk& desk) {
  WEFT_ASSERT(finished());
  if (error_) return *error_;
  answer_.receipts = receipts();
  for (const receipt& each : answer_.receipts) answer_.reused_tokens += each.reused_tokens;
  answer_.times.total_ms = since_arrival_ms();
  work_.acquit_used(desk);
  release(desk);
  return std::move(answer_);
}

std::vector<receipt> request_run::receipts() const {
  std::vector<receipt> all;
  std::size_t use = 0;
  for (std::size_t index = 0; index < plan_->layout.segments.size(); ++index) {
    const segment_layout& segment = plan_->layout.segments[index];
    receipt told;
    told.segment = static_cast<std::int64_t>(index);
    told.role = segment.role;
    told.tokens = segment.tokens;
    told.seam_tokens = segment.seam_tokens;
    told.reason = segment.reason;
    told.milliseconds = segment_ms_[index];
    if (segment.treatment != piece_kind::run) {
      const entry_use& entry = work_.uses()[use++];
      const bool warm = entry.warm || entry.slot->origin.warm;
      told.what = warm ? verdict::warm : verdict::cold;
      if (!entry.warm) {
        told.worker = entry.slot->origin.worker;
        told.bytes_moved = entry.slot->origin.bytes_moved;
      }
      if (warm)
        told.reused_tokens = segment.reused_if_warm;
      else
        told.reason = entry.cause;
      told.tier = "device";
    }
    all.push_back(std::move(told));
  }
  return all;
}

double request_run::since_arrival_ms() const { return ms_between(arrived_, session_clock::now()); }

}  // namespace weft::actors
