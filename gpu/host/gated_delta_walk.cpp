#include "gpu/host/gated_delta_walk.hpp"

#include <algorithm>
#include <utility>

namespace weft::gpu {
namespace {

// Log decay below which a head counts as closed and its T as zero: e^-25 is 1e-11, far below a
// float's rounding of S (ARCHITECTURE.md, "Shrinking T").
constexpr float closed_log_decay = -25.0F;

// Stored tokens below which S_C runs as a third column: behind an anchor the identity's rounding,
// relative to S_run, would swamp so short an entry's own share.
constexpr std::int64_t identity_tokens_min = 64;

bool runs_third_column(const entry& of) {
  return of.kind == entry_kind::splice && !of.from_zero && of.tokens_max < identity_tokens_min;
}

bool is_splice(const entry* of) { return of != nullptr && of->kind == entry_kind::splice; }

}  // namespace

gated_delta_walk::gated_delta_walk(step_context& step, const gated_delta_shape& shape,
                                   std::int64_t layer, std::int64_t head, int worker)
    : step_(step),
      shape_(shape),
      layer_(layer),
      head_(head),
      scratch_(step.space.scratch[static_cast<std::size_t>(worker)].data()),
      jump_ms_(step.space.jump_ms[static_cast<std::size_t>(worker)]) {}

std::size_t gated_delta_walk::flag() const {
  return static_cast<std::size_t>(layer_ * shape_.value_heads + head_);
}

float* gated_delta_walk::share(const entry& of) const {
  return step_.memory.states.unit(of.state_slot.id()) + step_.layout.state(layer_, head_);
}

float* gated_delta_walk::transition(const entry& of) const {
  return step_.memory.transitions.unit(of.transition_slot.id()) +
         step_.layout.transition(layer_, head_);
}

void gated_delta_walk::run(batch_sequence& one) {
  state_ =
      step_.memory.states.unit(one.target->state_slot.id()) + step_.layout.state(layer_, head_);
  building_ = one.building_before;
  state_is_zero_ = one.starts_at_zero;
  if (state_is_zero_) std::fill_n(state_, step_.layout.head_state_floats(), 0.0F);
  for (const batch_work& work : one.work)
    std::visit([this](const auto& each) { step_over(each); }, work);
}

void gated_delta_walk::step_over(const batch_run& run) {
  const std::int64_t key_head = head_ / (shape_.value_heads / shape_.key_heads);
  const std::int64_t channels = shape_.conv_channels();
  const std::int64_t inner = shape_.value_heads * shape_.value_dim;
  const std::int64_t key_floats = shape_.key_heads * shape_.key_dim;
  for (std::int64_t first = 0; first < run.tokens; first += chunk_tokens) {
    const std::int64_t row = run.first_row + first;
    const float* convolved = step_.space.convolved.data() + row * channels;
    const std::int64_t gate = row * shape_.value_heads + head_;
    advance({.tokens = std::min(chunk_tokens, run.tokens - first),
             .key_dim = shape_.key_dim,
             .value_dim = shape_.value_dim,
             .q = convolved + key_head * shape_.key_dim,
             .k = convolved + key_floats + key_head * shape_.key_dim,
             .v = convolved + 2 * key_floats + head_ * shape_.value_dim,
             .token_row = channels,
             .gates = step_.space.gates.data() + gate,
             .betas = step_.space.betas.data() + gate,
             .gate_row = shape_.value_heads,
             .state = state_,
             .out = step_.space.inner.data() + row * inner + head_ * shape_.value_dim,
             .out_row = inner,
             .scratch = scratch_});
    if (run.kind == row_class::decode) WEFT_ASSERT(run.tokens == 1 && building_ == nullptr);
  }
}

// One chunk, with the columns that an entry under construction asks for; a decode row is a chunk of
// one token, whose recurrence needs no chunk algebra.
void gated_delta_walk::advance(gated_delta_args chunk) {
  chunk.state_is_zero = std::exchange(state_is_zero_, false);
  chunk.entry_begins = std::exchange(entry_begins_, false);
  if (!is_splice(building_)) {
    if (chunk.tokens == 1)
      step_.kernels.gated_delta_token(chunk);
    else
      step_.kernels.gated_delta_chunk(chunk);
    return;
  }
  if (building_->closed[flag()] == 0) chunk.transition = transition(*building_);
  if (runs_third_column(*building_)) chunk.alone = share(*building_);
  step_.kernels.gated_delta_chunk(chunk);
  float& decay = building_->log_decay[flag()];
  for (std::int64_t i = 0; i < chunk.tokens; ++i) decay += chunk.gates[i * chunk.gate_row];
  if (decay < closed_log_decay) building_->closed[flag()] = 1;
}

void gated_delta_walk::step_over(const batch_splice& splice) {
  const stopwatch watch(jump_ms_);
  const entry& what = *splice.what;
  state_is_zero_ = false;
  const bool closed = what.closed[flag()] != 0;
  step_.kernels.splice(
      {.key_dim = shape_.key_dim,
       .value_dim = shape_.value_dim,
       .state = state_,
       .transition = splice.apply_transition && !closed ? transition(what) : nullptr,
       .share = share(what),
       .keep_state = !splice.apply_transition,
       .scratch = scratch_});
}

void gated_delta_walk::step_over(const batch_restore& restore) {
  state_is_zero_ = false;
  std::copy_n(share(*restore.what), step_.layout.head_state_floats(), state_);
}

void gated_delta_walk::step_over(const batch_begin& begin) {
  building_ = begin.what;
  if (!is_splice(building_)) return;
  entry_begins_ = true;
  float* matrix = transition(*building_);
  std::fill_n(matrix, step_.layout.head_transition_floats(), 0.0F);
  for (std::int64_t i = 0; i < shape_.key_dim; ++i) matrix[i * shape_.key_dim + i] = 1.0F;
  building_->log_decay[flag()] = 0.0F;
  building_->closed[flag()] = begin.with_transition ? 0 : 1;
  if (building_->from_zero) return;
  // The snapshot S_run(w), or the third column's zero, waits where S_C will be.
  if (runs_third_column(*building_))
    std::fill_n(share(*building_), step_.layout.head_state_floats(), 0.0F);
  else
    std::copy_n(state_, step_.layout.head_state_floats(), share(*building_));
}

void gated_delta_walk::step_over(const batch_end& end) {
  entry& done = *end.what;
  building_ = nullptr;
  float* kept = share(done);
  if (done.kind == entry_kind::checkpoint || done.from_zero) {
    std::copy_n(state_, step_.layout.head_state_floats(), kept);
  } else if (!runs_third_column(done)) {
    step_.kernels.identity_share(
        {.key_dim = shape_.key_dim,
         .value_dim = shape_.value_dim,
         .state = state_,
         .transition = done.closed[flag()] != 0 ? nullptr : transition(done),
         .share = kept,
         .scratch = scratch_});
  }
}

}  // namespace weft::gpu
