#include "gpu/host/host_engine.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <new>

#include "gpu/door/cache_split.hpp"
#include "gpu/door/futex.hpp"
#include "gpu/door/overlay.hpp"

namespace weft::gpu {
namespace {

// Part of the numerics id: raised whenever a kernel's bits change.
constexpr const char* kernel_version = "3";

std::int64_t page_floats_of(const model_shape& shape) {
  return shape.attention_layers() * shape.attention.key_value_heads * 2 * shape.attention.head_dim *
         page_tokens;
}

weight_form form_of(const model_weights& weights, const engine_options& options) {
  std::int64_t bytes = 0;
  each_tensor(weights, [&](const tensor_view& tensor) {
    bytes += static_cast<std::int64_t>(tensor.bytes.size());
  });
  return bytes <= options.packed_bytes_max ? weight_form::packed : weight_form::in_place;
}

std::int64_t bytes_of_floats(std::int64_t floats) {
  return floats * static_cast<std::int64_t>(sizeof(float));
}

}  // namespace

result<std::unique_ptr<engine>> make_host_engine(model_weights weights,
                                                 const engine_options& options) {
  auto made = host_engine::make(std::move(weights), options);
  if (!made) return made.error();
  return std::unique_ptr<engine>(std::move(*made));
}

result<std::unique_ptr<host_engine>> host_engine::make(model_weights weights,
                                                       const engine_options& options) {
  const auto instructions = settle_instruction_set(options.instructions);
  if (!instructions) return instructions.error();
  const state_layout layout(weights.shape);
  const std::int64_t page_floats = page_floats_of(weights.shape);
  const unit_bytes each{.page = bytes_of_floats(page_floats),
                        .state_slot = bytes_of_floats(layout.state_slot_floats()),
                        .transition_slot = bytes_of_floats(layout.transition_slot_floats())};
  const cache_units units =
      units_in({.pages = options.page_bytes_max, .slots = options.slot_bytes_max}, each);
  const sizes counts{.pages = static_cast<std::int32_t>(units.pages),
                     .states = static_cast<std::int32_t>(units.state_slots),
                     .transitions = static_cast<std::int32_t>(units.transition_slots)};
  if (counts.pages < 1 || counts.states < 1) {
    const pool_bytes least = least_bytes({.pages = 1, .state_slots = 1}, each);
    return rejected("the cache is too small: pages need " + std::to_string(least.pages) +
                    " bytes at least and slots " + std::to_string(least.slots) +
                    "; each gets one half of --cache-bytes, so give it " +
                    std::to_string(2 * std::max(least.pages, least.slots)) + " or more");
  }
  auto pages = arena::make(counts.pages, page_floats);
  if (!pages) return pages.error();
  auto states = arena::make(counts.states, layout.state_slot_floats());
  if (!states) return states.error();
  auto transitions = arena::make(counts.transitions, layout.transition_slot_floats());
  if (!transitions) return transitions.error();
  try {
    const weight_form form = form_of(weights, options);
    return std::unique_ptr<host_engine>(
        new host_engine(std::move(weights), options, *instructions, form, counts,
                        {std::move(*pages), std::move(*states), std::move(*transitions)}));
  } catch (const std::bad_alloc&) {
    return overloaded("this machine has not enough memory for the model");
  } catch (const std::exception& error) {
    return broken(std::string("the host engine could not be set up: ") + error.what());
  }
}

host_engine::host_engine(model_weights weights, const engine_options& options,
                         instruction_set instructions, weight_form form, sizes counts,
                         pool_memory memory)
    : kernels_(kernels_of(instructions)),
      model_(std::move(weights), form, kernels_),
      layout_(model_.shape()),
      pages_("key-value pages", counts.pages),
      states_("state slots", counts.states),
      transitions_("transition slots", counts.transitions),
      memory_(std::move(memory)),
      pool_(options.threads),
      layers_(model_.shape(), layout_, memory_),
      runner_(model_, layout_, memory_, pool_, kernels_),
      whole_(layers()) {
  const std::string set(name_of(instructions));
  traits_ = {.numerics_id = "host-" + set + "-" + kernel_version,
             .device = "host, " + set + ", " + std::to_string(pool_.threads()) + " threads",
             .threads = pool_.threads(),
             .page_bytes = bytes_of_floats(page_floats_of(model_.shape())),
             .state_slot_bytes = bytes_of_floats(layout_.state_slot_floats()),
             .transition_slot_bytes = bytes_of_floats(layout_.transition_slot_floats())};
  driver_ = std::thread([this] { work(); });
}

host_engine::~host_engine() {
  stopping_ = true;
  orders_.fetch_add(1);
  wake_sleepers(orders_);
  driver_.join();
}

engine_counts host_engine::counts() const {
  return {.pages = pages_.counts(),
          .state_slots = states_.counts(),
          .transition_slots = transitions_.counts()};
}

result<sequence> host_engine::make_sequence() {
  auto slot = states_.take(unit_owner::in_flight);
  if (!slot) return slot.error();
  sequence made;
  made.state_slot = std::move(*slot);
  return made;
}

status host_engine::reserve(sequence& target, const std::vector<std::int64_t>& runs) {
  return reserve_overlay(pages_, target, runs);
}

result<std::shared_ptr<entry>> host_engine::make_entry(entry_kind kind, std::int64_t tokens) {
  WEFT_ASSERT(tokens > 0);
  auto made = std::make_shared<entry>();
  made->kind = kind;
  made->tokens_max = tokens;
  auto state = states_.take(unit_owner::in_flight);
  if (!state) return state.error();
  made->state_slot = std::move(*state);
  if (kind == entry_kind::splice) {
    auto transition = transitions_.take(unit_owner::in_flight);
    if (!transition) return transition.error();
    made->transition_slot = std::move(*transition);
  }
  for (std::int64_t first = 0; first < tokens; first += page_tokens) {
    auto page = pages_.take(unit_owner::in_flight);
    if (!page) return page.error();
    made->pages.push_back(std::move(*page));
  }
  const auto heads = static_cast<std::size_t>(shape().linear_layers() * shape().linear.value_heads);
  made->closed.resize(heads);
  made->log_decay.resize(heads);
  return made;
}

void host_engine::submit(step_plan plan, std::function<void(result<step_outcome>)> done) {
  begin_order();
  whole_.take(std::move(plan));
  waiting_ = {.step = &whole_, .end_layer = whole_.layers(), .whole_done = std::move(done)};
  end_order();
}

std::unique_ptr<open_step> host_engine::open(step_plan plan) {
  auto made = std::make_unique<host_step>(layers());
  made->take(std::move(plan));
  return made;
}

void host_engine::submit(open_step& step, std::int64_t end_layer,
                         std::function<void(result<std::optional<step_outcome>>)> done) {
  begin_order();
  waiting_ = {.step = static_cast<host_step*>(&step),
              .end_layer = end_layer,
              .piece_done = std::move(done)};
  end_order();
}

void host_engine::begin_order() {
  const bool busy = in_flight_.exchange(true);
  WEFT_ASSERT(!busy);
}

void host_engine::end_order() {
  orders_.fetch_add(1);
  wake_sleepers(orders_);
}

void host_engine::work() {
  flush_subnormals();  // As the pool's workers do: a part's bits must not hang on who takes it.
  std::uint32_t seen = 0;
  for (;;) {
    sleep_while(orders_, seen);
    seen = orders_.load();
    if (waiting_.step != nullptr) run_waiting();
    if (stopping_) return;
  }
}

void host_engine::run_waiting() {
  order next = std::exchange(waiting_, {});
  auto outcome = [&]() -> result<std::optional<step_outcome>> {
    try {
      return runner_.run(*next.step, next.end_layer);
    } catch (const std::exception& error) {
      return broken(std::string("a step failed on the host engine: ") + error.what());
    }
  }();
  // Entries and sequences are the caller's again before it hears of the end.
  if (!outcome || *outcome) next.step->let_go();
  in_flight_ = false;
  if (next.piece_done) return next.piece_done(std::move(outcome));
  if (!outcome) return next.whole_done(outcome.error());
  next.whole_done(std::move(**outcome));
}

std::vector<float> host_engine::copy_slot_states(const unit_lease& slot) const {
  const std::int64_t heads = shape().linear.value_heads;
  const std::int64_t floats = layout_.head_state_floats();
  std::vector<float> all;
  for (std::int64_t layer = 0; layer < shape().linear_layers(); ++layer)
    for (std::int64_t head = 0; head < heads; ++head) {
      const float* state = memory_.states.unit(slot.id()) + layout_.state(layer, head);
      all.insert(all.end(), state, state + floats);
    }
  return all;
}

std::vector<float> host_engine::copy_state(const sequence& of) const {
  return copy_slot_states(of.state_slot);
}

entry_tensors host_engine::copy_entry(const entry& of) const {
  WEFT_ASSERT(of.complete && of.kind == entry_kind::splice);
  entry_tensors copy{
      .state = copy_slot_states(of.state_slot),
      .transition = std::vector<float>(static_cast<std::size_t>(layout_.transition_slot_floats()))};
  const float* matrices = memory_.transitions.unit(of.transition_slot.id());
  const auto floats = static_cast<std::size_t>(layout_.head_transition_floats());
  for (std::size_t flag = 0; flag < of.closed.size(); ++flag)
    if (of.closed[flag] == 0)
      std::copy_n(matrices + flag * floats, floats,
                  copy.transition.begin() + static_cast<std::ptrdiff_t>(flag * floats));
  return copy;
}

float& host_engine::float_of(const entry& of, const entry_place& place) const {
  const attention_shape& attention = shape().attention;
  float* state = memory_.states.unit(of.state_slot.id());
  const std::int64_t row = place.row;
  switch (place.part) {
    case entry_part::state:
      return state[layout_.state(place.layer, place.head) + row * shape().linear.value_dim];
    case entry_part::transition:
      return memory_.transitions.unit(
          of.transition_slot
              .id())[layout_.transition(place.layer, place.head) + row * shape().linear.key_dim];
    case entry_part::convolution:
      return state[layout_.conv(place.layer) + row * shape().linear.conv_channels()];
    case entry_part::keys:
    case entry_part::values: break;
  }
  float* page = memory_.pages.unit(of.pages[static_cast<std::size_t>(row / page_tokens)].id());
  float* keys = page + (place.layer * attention.key_value_heads + place.head) * 2 *
                           attention.head_dim * page_tokens;
  if (place.part == entry_part::keys) return keys[row % page_tokens];
  return keys[(page_tokens + row % page_tokens) * attention.head_dim];
}

}  // namespace weft::gpu
