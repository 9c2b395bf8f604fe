#include "actors/session/live_session.hpp"

#include <algorithm>
#include <string>

#include "actors/session/step_damage.hpp"
#include "actors/session/step_lesson.hpp"
#include "policies/placement/step_cut.hpp"
#include "policies/vocabulary/assert.hpp"

namespace weft::actors {
namespace {

// A use counts half after as many uses as there could be entries, twice over: long enough to tell
// favourites from passers-by, short enough to follow a crowd that changes its mind. Shorter ones
// recompute more for steady crowds, longer ones for changing ones.
constexpr std::int64_t half_lives_per_slot = 2;

unit_bytes bytes_of(const gpu::engine_traits& traits) {
  return {.page = traits.page_bytes,
          .state_slot = traits.state_slot_bytes,
          .transition_slot = traits.transition_slot_bytes};
}

eviction_terms terms_of(const gpu::engine& engine, eviction_policy policy) {
  const std::int64_t slots = std::max<std::int64_t>(engine.counts().state_slots.total, 1);
  return {.policy = policy,
          .bytes = bytes_of(engine.traits()),
          .half_life_uses = static_cast<std::uint64_t>(half_lives_per_slot * slots)};
}

}  // namespace

live_session::live_session(std::unique_ptr<gpu::engine> engine, session_options options)
    : options_(std::move(options)),
      engine_(std::move(engine)),
      names_({.model_fingerprint = options_.model_fingerprint,
              .tokenizer_fingerprint = options_.tokenizer_fingerprint,
              .numerics_id = engine_->traits().numerics_id,
              .anchor = options_.anchor}),
      index_(true, terms_of(*engine_, options_.eviction)),
      desk_(*engine_, index_),
      exchange_(desk_, names_) {
  index_.reprice(costs_.coefficients);
}

cache_counts live_session::cached() const {
  const cache_units units = index_.units();
  return {.entries = index_.entries(),
          .units = units,
          .bytes = weft::bytes_of(units, bytes_of(engine_->traits())),
          .hits = hits_,
          .misses = misses_,
          .evictions = index_.evictions(),
          .quarantined = desk_.bad_keys().counts()};
}

result<std::uint64_t> live_session::start(request wanted, std::function<void(token_id)> on_token) {
  const auto arrived = session_clock::now();
  if (const status room = check_room(); !room) return room.error();
  auto plan = plan_request(std::move(wanted), limits(), names_);
  if (!plan) return plan.error();
  auto id = take_on(std::move(plan).value(), arrived);
  if (id && on_token) listeners_.emplace(*id, std::move(on_token));
  return id;
}

result<std::uint64_t> live_session::prepare(preparation wanted, layer_listener on_layer) {
  const auto arrived = session_clock::now();
  if (const status room = check_room(); !room) return room.error();
  auto plan = plan_preparation(std::move(wanted), limits(), names_);
  if (!plan) return plan.error();
  auto id = take_on(std::move(plan).value(), arrived);
  if (id) layer_news_.listen(*id, std::move(on_layer));
  return id;
}

status live_session::check_room() const {
  if (broken_) return *broken_;
  const auto live = waiting_.size() + running_.size() + finished_.size();
  if (live >= static_cast<std::size_t>(options_.requests_max))
    return overloaded("the session has " + std::to_string(live) +
                      " requests, the most it takes; retry when one is done and taken");
  if (waiting_.size() >= static_cast<std::size_t>(options_.waiting_max))
    return overloaded(std::to_string(waiting_.size()) +
                      " requests wait for room, the most that may; retry when one has started");
  return {};
}

plan_limits live_session::limits() const {
  return {.shape = &engine_->shape(),
          .positions_max = options_.positions_max,
          .profile_seam = options_.profile_seam};
}

result<std::uint64_t> live_session::take_on(request_plan plan, session_clock::time_point arrived) {
  if (const status fits = check_fits(plan, engine_->counts(), engine_->traits()); !fits)
    return fits.error();
  const std::uint64_t id = ++last_id_;
  waiting_.push_back(std::make_unique<request_run>(id, std::move(plan), index_,
                                                   engine_->shape().end_tokens, arrived));
  return id;
}

bool live_session::step() {
  if (waiting_.empty() && running_.empty()) return false;
  index_.sweep_abandoned();
  keep_going();
  admit_waiting();
  keep_promises();
  settle_preparations();
  packed_step packed = pack();
  if (packed.isolated.empty() && packed.context.empty()) {
    if (collect_finished()) return true;
    if (awaits_arrivals()) return false;
    unblock();
    return true;
  }
  const auto lesson = lesson_of(packed.plan);
  packed.plan.reused = std::move(spent_);
  auto outcome = run(packed);
  if (!outcome) {
    packed = {};
    break_down(outcome.error());
    return true;
  }
  if (lesson) {
    const gpu::step_times& times = outcome->times;
    costs_ = observe(costs_, *lesson, times.total_ms - times.splice_ms);
    index_.reprice(costs_.coefficients);
  }
  spent_ = std::move(outcome).value();
  apply(packed, spent_);
  packed = {};  // Holds entries; they must not outlive their requests.
  settle_preparations();
  send_back();
  collect_finished();
  if (std::exchange(weights_in_doubt_, false))
    if (const status fine = engine_->check_weights(); !fine) break_down(fine.error());
  tell_tokens();
  return true;
}

// In one piece, or layer by layer where somebody waits for each.
result<gpu::step_outcome> live_session::run(packed_step& packed) {
  const bool listened =
      std::any_of(packed.isolated.begin(), packed.isolated.end(),
                  [this](const part& each) { return layer_news_.has_listener(each.run->id()); });
  if (!listened) return gpu::run_step(*engine_, std::move(packed.plan));
  const auto step = engine_->open(std::move(packed.plan));
  for (std::int64_t layer = 1;; ++layer) {
    auto outcome = gpu::run_layers(*engine_, *step, layer);
    if (!outcome) return outcome.error();
    if (*outcome) return std::move(**outcome);
    tell_layers(packed, layer);
  }
}

// Of entries that this step completes (of the others no layer is final yet), but for the anchor.
void live_session::tell_layers(const packed_step& packed, std::int64_t layers) {
  for (const part& each : packed.isolated)
    if (each.cut.finished && each.run->entries().segment_of(each.isolated->slot))
      layer_news_.tell(each.run->id(), *each.isolated->slot, layers);
}

void live_session::settle_preparations() {
  const auto layers = static_cast<std::int64_t>(engine_->shape().layers.size());
  for (const auto& run : running_) {
    if (run->answers() || run->finished() || run->sent_back()) continue;
    for (const entry_use& use : run->entries().uses())
      if (use.slot->state == slot_state::resident) layer_news_.tell(run->id(), *use.slot, layers);
    run->settle_preparation();
  }
}

// Requests that run keep what they need before newcomers take anything.
void live_session::keep_going() {
  for (const auto& run : running_) run->keep_going(desk_);
}

// What was promised to those who run is there for nobody else.
void live_session::keep_promises() {
  promise_book book;
  for (const auto& run : running_) run->entries().promise(book, desk_);
  desk_.keep(book.promised());
}

// In order of arrival: a large request is not starved by small ones behind it.
void live_session::admit_waiting() {
  while (!waiting_.empty()) {
    keep_promises();
    request_run& run = *waiting_.front();
    const bool counted = run.sent_back();
    const status admitted = run.admit(desk_);
    if (!admitted) {
      const failure& why = admitted.error();
      if (why.kind == failure_kind::overloaded && !running_.empty()) return;
      // It can never fit, or the engine refuses what its pools have: waiting would not help.
      finish(run.id(), why);
      waiting_.pop_front();
      continue;
    }
    if (!counted)
      for (const entry_use& use : run.entries().uses()) ++(use.warm ? hits_ : misses_);
    running_.push_back(std::move(waiting_.front()));
    waiting_.pop_front();
  }
}

std::vector<live_session::part> live_session::offer_lanes(std::vector<lane>& lanes) {
  std::vector<part> parts;
  std::int64_t isolated_tokens = 0;
  for (const auto& run : running_) {
    if (run->decoding()) continue;
    entry_work& entries = run->entries();
    for (isolated_prefill& prefill : entries.isolated()) {
      // Sequences beyond a request's first are made only where the step has rows for them.
      if (prefill.sequence == nullptr && isolated_tokens < options_.step_tokens_max)
        entries.widen(desk_);
      if (prefill.sequence == nullptr) continue;
      lane left = prefill.script.remaining();
      for (const lane_run& each : left.runs) isolated_tokens += each.tokens;
      left.gives = static_cast<std::int64_t>(prefill.slot->serial);
      lanes.push_back(std::move(left));
      parts.push_back({.run = run.get(), .isolated = &prefill});
    }
    if (!run->answers()) continue;
    lanes.push_back(run->context_script().remaining());
    parts.push_back({.run = run.get()});
  }
  return parts;
}

live_session::packed_step live_session::pack() {
  std::vector<lane> lanes;
  std::vector<part> offered = offer_lanes(lanes);
  std::vector<request_run*> decoding;
  for (const auto& run : running_)
    if (run->decoding()) decoding.push_back(run.get());
  const step_cut cut =
      cut_step(decoding.size(), lanes,
               {.tokens_max = options_.step_tokens_max, .chunk_tokens = gpu::chunk_tokens});
  packed_step packed;
  for (std::size_t row = 0; row < cut.decode_rows; ++row) {
    packed.plan.context.push_back({.target = &decoding[row]->context(), .work = {}});
    packed.plan.context.back().work.push_back(decoding[row]->decode_row());
    packed.context.push_back({.run = decoding[row], .decode = true});
  }
  for (std::size_t index = 0; index < offered.size(); ++index) {
    if (cut.lane_tokens[index] == 0) continue;
    part taken = std::move(offered[index]);
    const bool isolated = taken.isolated != nullptr;
    sequence_script& script = isolated ? taken.isolated->script : taken.run->context_script();
    taken.cut = script.take(cut.lane_tokens[index]);
    gpu::sequence_step step{
        .target = isolated ? taken.isolated->sequence.get() : &taken.run->context(),
        .work = std::move(taken.cut.work)};
    (isolated ? packed.plan.isolated : packed.plan.context).push_back(std::move(step));
    (isolated ? packed.isolated : packed.context).push_back(std::move(taken));
  }
  packed.rows = packed.plan.rows();
  return packed;
}

void live_session::apply(packed_step& packed, gpu::step_outcome& outcome) {
  WEFT_ASSERT(outcome.isolated.size() == packed.isolated.size());
  WEFT_ASSERT(outcome.context.size() == packed.context.size());
  step_bill bill{.times = outcome.times, .rows = packed.rows};
  std::map<request_run*, std::int64_t> splices;  // Of each request that took part.
  for (const auto* parts : {&packed.isolated, &packed.context})
    for (const part& each : *parts) {
      splices[each.run] += each.cut.splices;
      bill.splices += each.cut.splices;
    }
  step_damage damage;
  for (std::size_t index = 0; index < packed.isolated.size(); ++index)
    damage.note(*packed.isolated[index].run, outcome.isolated[index]);
  for (std::size_t index = 0; index < packed.context.size(); ++index)
    damage.note(*packed.context[index].run, outcome.context[index]);
  weights_in_doubt_ = damage.settle(running_, desk_);
  for (std::size_t index = 0; index < packed.isolated.size(); ++index) {
    part& each = packed.isolated[index];
    if (each.run->finished() || each.run->sent_back()) continue;  // By another of its parts.
    weights_in_doubt_ = weights_in_doubt_ || outcome.isolated[index].error;
    each.run->isolated_done(desk_, *each.isolated, each.cut, outcome.isolated[index], bill);
  }
  for (std::size_t index = 0; index < packed.context.size(); ++index) {
    part& each = packed.context[index];
    if (each.run->finished() || each.run->sent_back()) continue;
    weights_in_doubt_ = weights_in_doubt_ || outcome.context[index].error;
    const auto token = each.decode ? each.run->decode_done(desk_, outcome.context[index])
                                   : each.run->context_done(
                                         desk_, each.cut, std::move(outcome.context[index]), bill);
    if (token) news_.emplace_back(each.run->id(), *token);
  }
  for (const auto& [run, count] : splices) run->count_step(bill, count);
  for (const auto& run : running_) run->entries().erase_finished();
}

// Requests that begin again go before all that wait, in the order in which they were admitted.
void live_session::send_back() {
  for (auto at = running_.end(); at != running_.begin();) {
    --at;
    if (!(*at)->sent_back()) continue;
    waiting_.push_front(std::move(*at));
    at = running_.erase(at);
  }
}

bool live_session::awaits_arrivals() const {
  return std::any_of(running_.begin(), running_.end(), [this](const auto& run) {
    const auto& uses = run->entries().uses();
    return std::any_of(uses.begin(), uses.end(),
                       [this](const entry_use& use) { return exchange_.awaits(*use.slot); });
  });
}

// Nothing could run: requests wait for room that nobody will free. The youngest one gives way.
void live_session::unblock() {
  if (running_.empty()) return;
  running_.back()->fail(desk_, overloaded("the pools had no room to take over an entry that "
                                          "another request gave up; retry"));
  collect_finished();
}

bool live_session::collect_finished() {
  bool any = false;
  for (auto at = running_.begin(); at != running_.end();) {
    if (!(*at)->finished()) {
      ++at;
      continue;
    }
    finish((*at)->id(), (*at)->finish(desk_));
    at = running_.erase(at);
    any = true;
  }
  return any;
}

// Last of all in a step, since a listener may start and cancel requests.
void live_session::tell_tokens() {
  const auto news = std::exchange(news_, {});
  for (const auto& [id, token] : news) {
    const auto found = listeners_.find(id);
    if (found == listeners_.end()) continue;
    const auto listener = found->second;  // A copy: the listener may cancel itself.
    listener(token);
  }
  std::erase_if(listeners_, [this](const auto& item) { return finished_.contains(item.first); });
}

void live_session::break_down(const failure& why) {
  broken_ = why;
  for (const auto& run : running_) {
    run->fail(desk_, why);
    finish(run->id(), run->finish(desk_));
  }
  for (const auto& run : waiting_) finish(run->id(), why);
  running_.clear();
  waiting_.clear();
  listeners_.clear();
}

void live_session::finish(std::uint64_t id, result<answer> outcome) {
  layer_news_.forget(id);
  finished_.emplace(id, std::move(outcome));
}

std::optional<result<answer>> live_session::take(std::uint64_t id) {
  const auto found = finished_.find(id);
  if (found == finished_.end()) return std::nullopt;
  std::optional<result<answer>> taken(std::move(found->second));
  finished_.erase(found);
  listeners_.erase(id);
  return taken;
}

void live_session::cancel(std::uint64_t id) {
  const auto is_it = [id](const auto& run) { return run->id() == id; };
  for (const auto& run : running_)
    if (is_it(run)) run->release(desk_);
  running_.remove_if(is_it);
  std::erase_if(waiting_, is_it);
  finished_.erase(id);
  listeners_.erase(id);
  layer_news_.forget(id);
  index_.sweep_abandoned();
}

}  // namespace weft::actors
