#include "tests/actors/fake_engine.hpp"

#include <algorithm>
#include <utility>

#include "gpu/door/overlay.hpp"

namespace weft::actors {
namespace {

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
  hash *= 0xbf58476d1ce4e5b9u;
  return hash ^ (hash >> 31);
}

std::uint64_t mix(std::uint64_t hash, std::int64_t value) {
  return mix(hash, static_cast<std::uint64_t>(value));
}

failure refusal() { return overloaded("the device is busy with something else"); }

template <class Index>
std::size_t at(Index index) {
  return static_cast<std::size_t>(index);
}

}  // namespace

fake_engine::fake_engine(const fake_options& options)
    : pages_("key-value pages", options.pages),
      state_slots_("state slots", options.state_slots),
      transition_slots_("transition slots", options.transition_slots),
      page_memory_(at(options.pages), std::vector<std::uint64_t>(at(gpu::page_tokens), 0)),
      state_memory_(at(options.state_slots), 0),
      transition_memory_(at(options.transition_slots), 0) {
  shape_.architecture = "fake";
  shape_.vocabulary = vocabulary;
  shape_.positions_max = options.positions_max;
  shape_.end_tokens = {end_token};
  shape_.layers = {gpu::layer_kind::linear, gpu::layer_kind::attention, gpu::layer_kind::linear};
  traits_ = {.numerics_id = "fake",
             .device = "fake",
             .page_bytes = 100,
             .state_slot_bytes = 1000,
             .transition_slot_bytes = 2000};
}

gpu::engine_counts fake_engine::counts() const {
  return {pages_.counts(), state_slots_.counts(), transition_slots_.counts()};
}

std::vector<std::shared_ptr<gpu::entry>> fake_engine::entries_alive() {
  std::erase_if(made_, [](const auto& entry) { return entry.expired(); });
  std::vector<std::shared_ptr<gpu::entry>> alive;
  for (const auto& entry : made_) alive.push_back(entry.lock());
  return alive;
}

result<gpu::sequence> fake_engine::make_sequence() {
  if (strikes(trouble_.refusals, trouble_met.refusals)) return refusal();
  auto slot = state_slots_.take(gpu::unit_owner::in_flight);
  if (!slot) return slot.error();
  gpu::sequence made;
  made.state_slot = std::move(slot).value();
  state_memory_[at(made.state_slot.id())] = 1;
  return made;
}

status fake_engine::reserve(gpu::sequence& target, const std::vector<std::int64_t>& runs) {
  if (strikes(trouble_.refusals, trouble_met.refusals)) return refusal();
  return gpu::reserve_overlay(pages_, target, runs);
}

result<std::shared_ptr<gpu::entry>> fake_engine::make_entry(gpu::entry_kind kind,
                                                            std::int64_t tokens) {
  if (strikes(trouble_.refusals, trouble_met.refusals)) return refusal();
  auto made = std::make_shared<gpu::entry>();
  made->kind = kind;
  made->tokens_max = tokens;
  auto slot = state_slots_.take(gpu::unit_owner::in_flight);
  if (!slot) return slot.error();
  made->state_slot = std::move(slot).value();
  spoilt_.erase(made->state_slot.id());
  if (kind == gpu::entry_kind::splice) {
    auto transition = transition_slots_.take(gpu::unit_owner::in_flight);
    if (!transition) return transition.error();
    made->transition_slot = std::move(transition).value();
  }
  for (std::int64_t room = 0; room < tokens; room += gpu::page_tokens) {
    auto page = pages_.take(gpu::unit_owner::in_flight);
    if (!page) return page.error();
    made->pages.push_back(std::move(page).value());
  }
  made_.push_back(made);
  written_.erase(made.get());
  ++entries_made;
  return made;
}

void fake_engine::submit(gpu::step_plan plan, std::function<void(result<gpu::step_outcome>)> done) {
  ++steps;
  if (steps_until_break && (*steps_until_break)-- == 0) return done(broken("the device is lost"));
  rows += plan.rows();
  rows_max = std::max(rows_max, plan.rows());
  expect(plan.rows() > 0, "a step has no rows");
  const double took_ms = step_ms ? step_ms(plan) : static_cast<double>(plan.rows());
  completed_here_.clear();
  void_here_.clear();
  gpu::step_outcome outcome;
  for (gpu::sequence_step& step : plan.isolated)
    outcome.isolated.push_back(run_sequence(step, true));
  for (gpu::sequence_step& step : plan.context)
    outcome.context.push_back(run_sequence(step, false));
  outcome.times = {.total_ms = took_ms, .splice_ms = 0.5};
  plan = {};
  done(std::move(outcome));
}

status fake_engine::check_weights() {
  ++weight_checks;
  if (weights_fault) return *weights_fault;
  return {};
}

std::vector<const gpu::entry*> fake_engine::bad_of(const gpu::sequence_step& step) const {
  std::vector<const gpu::entry*> bad;
  for (const gpu::sequence_work& work : step.work) {
    const gpu::entry* read = nullptr;
    if (const auto* jump = std::get_if<gpu::splice_entry>(&work)) read = jump->what.get();
    if (const auto* take = std::get_if<gpu::restore_checkpoint>(&work)) read = take->what.get();
    if (read != nullptr && read->complete && spoilt_.contains(read->state_slot.id()))
      bad.push_back(read);
  }
  return bad;
}

gpu::sequence_outcome fake_engine::run_sequence(gpu::sequence_step& step, bool isolated) {
  gpu::sequence_outcome outcome;
  gpu::sequence& on = *step.target;
  outcome.bad_entries = bad_of(step);
  const bool struck = strikes(trouble_.failing_sequences, trouble_met.failing_sequences);
  const std::size_t last = struck ? chance_() % step.work.size() : step.work.size();
  for (std::size_t index = 0; index < step.work.size(); ++index) {
    gpu::sequence_work& work = step.work[index];
    std::optional<failure> error;
    if (!outcome.bad_entries.empty())
      error = broken("a cached entry holds NaN");
    else if (index == last)
      error = broken("the logits are not finite");
    else if (auto* tokens = std::get_if<gpu::run_tokens>(&work))
      error = run(on, *tokens, isolated, outcome);
    else if (auto* jump = std::get_if<gpu::splice_entry>(&work))
      error = splice(on, *jump);
    else if (auto* checkpoint = std::get_if<gpu::restore_checkpoint>(&work))
      error = restore(on, *checkpoint);
    else if (auto* opening = std::get_if<gpu::begin_entry>(&work))
      begin(on, *opening);
    else if (const gpu::entry* bad = end(on, isolated)) {
      outcome.bad_entries.push_back(bad);
      error = broken("an entry came out with NaN");
    }
    if (!error) continue;
    // Whatever the sequence was to fill in this step is void, begun or not.
    if (on.building != nullptr) void_here_.insert(on.building.get());
    for (const gpu::sequence_work& other : step.work)
      if (const auto* later = std::get_if<gpu::begin_entry>(&other))
        void_here_.insert(later->what.get());
    on.building.reset();
    return {.error = std::move(error),
            .bad_entries = std::move(outcome.bad_entries),
            .token = {},
            .logits = {},
            .scores = {}};
  }
  return outcome;
}

std::optional<failure> fake_engine::run(gpu::sequence& on, const gpu::run_tokens& what,
                                        bool isolated, gpu::sequence_outcome& outcome) {
  const bool decode = what.kind == gpu::row_class::decode;
  const auto count = static_cast<std::int64_t>(what.tokens.size());
  expect(count > 0, "a run is empty");
  expect(!decode || (!what.starts_grid && count == 1), "a decode row starts a grid");
  expect(decode || what.starts_grid || on.grid_offset % gpu::chunk_tokens == 0,
         "a run goes on between grid edges");
  if (what.starts_grid) {
    state(on) = mix(state(on), visible_keys(on));
    on.grid_offset = 0;
    if (on.building == nullptr) open_run_span(on, count);
  }
  if (isolated) isolated_rows += count;
  for (std::int64_t row = 0; row < count; ++row) {
    const token_id token = what.tokens[at(row)];
    if (poisonous && token == poison) return broken("the logits are not finite");
    if (decode) state(on) = mix(state(on), visible_keys(on));
    state(on) =
        mix(mix(mix(state(on), std::int64_t{token}), on.grid_offset), std::int64_t{decode ? 7 : 3});
    append_key(on, state(on));
    if (!what.targets.empty() && what.targets[at(row)] >= 0) {
      const std::uint64_t score = mix(state(on), std::int64_t{what.targets[at(row)]}) % 1000;
      outcome.scores.push_back({.position = on.tokens,
                                .log_probability = -static_cast<double>(score),
                                .best = static_cast<token_id>(state(on) % at(vocabulary))});
    }
    ++on.tokens;
    ++on.grid_offset;
  }
  const std::uint64_t last = mix(state(on), visible_keys(on));
  if (what.want_logits) outcome.logits = {static_cast<float>(last % 100000)};
  if (what.draw) {
    std::uint64_t drawn = last + draw_salt;
    if (what.draw->temperature > 0) drawn = mix(mix(last, what.draw->seed), what.draw->index);
    outcome.token = static_cast<token_id>(drawn % at(vocabulary - 1));
  }
  return std::nullopt;
}

std::optional<failure> fake_engine::splice(gpu::sequence& on, const gpu::splice_entry& what) {
  const gpu::entry& entry = *what.what;
  if (void_here_.contains(&entry)) return broken("the entry's isolated prefill failed");
  expect(entry.complete || entry.arriving, "an incomplete entry is spliced");
  expect(entry.kind == gpu::entry_kind::splice, "a checkpoint is spliced");
  expect(on.building == nullptr, "a splice happens inside an entry");
  ++splices;
  splices_same_step += completed_here_.contains(&entry) ? 1 : 0;
  last_used.push_back(what.what);
  state(on) = mix(state(on), state_memory_[at(entry.state_slot.id())]);
  if (what.apply_transition)
    state(on) = mix(state(on), transition_memory_[at(entry.transition_slot.id())]);
  add_entry_span(on, entry, what.turn_keys ? on.tokens - entry.local_begin : 0);
  on.tokens += entry.tokens;
  on.held.push_back(what.what);
  return std::nullopt;
}

std::optional<failure> fake_engine::restore(gpu::sequence& on,
                                            const gpu::restore_checkpoint& what) {
  const gpu::entry& entry = *what.what;
  expect((entry.complete || entry.arriving) && !completed_here_.contains(&entry),
         "a checkpoint is not there yet");
  expect(entry.kind == gpu::entry_kind::checkpoint, "a splice entry is restored");
  expect(entry.local_begin == on.tokens, "a checkpoint is restored at another place");
  expect(on.building == nullptr, "a checkpoint is restored inside an entry");
  last_used.push_back(what.what);
  state(on) = state_memory_[at(entry.state_slot.id())];
  add_entry_span(on, entry, 0);
  on.tokens += entry.tokens;
  on.held.push_back(what.what);
  return std::nullopt;
}

void fake_engine::begin(gpu::sequence& on, const gpu::begin_entry& what) {
  expect(on.building == nullptr, "an entry begins inside another");
  expect(!what.what->complete && what.what->tokens == 0, "an entry is filled twice");
  on.building = what.what;
  on.building->local_begin = on.tokens;
  begun_[&on] = state(on);
  on.spans.push_back({.turn = 0, .first = on.tokens, .tokens = 0, .blocks = {}});
}

const gpu::entry* fake_engine::end(gpu::sequence& on, bool isolated) {
  expect(on.building != nullptr, "an entry ends that never began");
  if (on.building == nullptr) return nullptr;
  gpu::entry& entry = *on.building;
  expect(entry.tokens == entry.tokens_max, "an entry ends before it is full");
  expect(isolated == (entry.kind == gpu::entry_kind::splice) || isolated,
         "a splice entry is made in a context");
  state_memory_[at(entry.state_slot.id())] = state(on);
  if (entry.transition_slot)
    transition_memory_[at(entry.transition_slot.id())] = mix(begun_[&on], state(on));
  if (strikes(trouble_.spoilt_entries, trouble_met.spoilt_entries))
    spoilt_.insert(entry.state_slot.id());
  on.held.push_back(on.building);
  begun_.erase(&on);
  const auto bad = bad_makes.find(entry.tokens);
  if (bad != bad_makes.end() && bad->second-- > 0) return &entry;
  entry.complete = true;
  if (isolated) completed_here_.insert(&entry);
  on.building.reset();
  return nullptr;
}

void fake_engine::open_run_span(gpu::sequence& on, std::int64_t tokens) {
  expect(on.reserved_used < on.reserved.size(), "a run was not reserved");
  if (on.reserved_used < on.reserved.size())
    expect(tokens <= on.reserved[on.reserved_used].tokens_max, "a run exceeds its reservation");
  ++on.reserved_used;
  on.spans.push_back({.turn = 0, .first = on.tokens, .tokens = 0, .blocks = {}});
}

void fake_engine::append_key(gpu::sequence& on, std::uint64_t key) {
  gpu::key_span& span = on.spans.back();
  std::int32_t page = 0;
  std::int64_t place = span.tokens;
  if (on.building != nullptr) {
    expect(on.building->tokens < on.building->tokens_max, "an entry overflows");
    page = on.building->pages[at(place / gpu::page_tokens)].id();
    ++on.building->tokens;
  } else {
    const gpu::overlay_run& room = on.reserved[on.reserved_used - 1];
    expect(place < room.tokens_max, "a run overflows its reservation");
    place += room.offset;
    page = on.pages[room.first_page + at(place / gpu::page_tokens)].id();
  }
  const auto offset = static_cast<std::int32_t>(place % gpu::page_tokens);
  page_memory_[at(page)][at(offset)] = key;
  if (span.blocks.empty() || span.blocks.back().page != page)
    span.blocks.push_back({.page = page, .offset = offset, .count = 0});
  ++span.blocks.back().count;
  ++span.tokens;
}

void fake_engine::add_entry_span(gpu::sequence& on, const gpu::entry& what, std::int64_t turn) {
  gpu::key_span span{.turn = turn, .first = on.tokens, .tokens = what.tokens, .blocks = {}};
  for (std::int64_t first = 0; first < what.tokens; first += gpu::page_tokens)
    span.blocks.push_back(
        {.page = what.pages[at(first / gpu::page_tokens)].id(),
         .offset = 0,
         .count = static_cast<std::int32_t>(std::min(gpu::page_tokens, what.tokens - first))});
  on.spans.push_back(std::move(span));
}

std::uint64_t fake_engine::visible_keys(const gpu::sequence& on) const {
  std::uint64_t hash = 17;
  for (const gpu::key_span& span : on.spans) {
    hash = mix(mix(hash, span.turn), span.first);
    for (const auto& block : span.blocks)
      for (std::int32_t key = 0; key < block.count; ++key)
        hash = mix(hash, page_memory_[at(block.page)][at(block.offset + key)]);
  }
  return hash;
}

std::uint64_t& fake_engine::state(const gpu::sequence& on) {
  return state_memory_[at(on.state_slot.id())];
}

bool fake_engine::strikes(unsigned of_a_thousand, std::int64_t& count) {
  const bool struck = chance_() % 1000 < of_a_thousand;
  count += struck ? 1 : 0;
  return struck;
}

void fake_engine::expect(bool condition, const char* sentence) {
  if (!condition) violations.emplace_back(sentence);
}

}  // namespace weft::actors
