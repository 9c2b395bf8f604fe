#include "actors/session/request_plan.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <unordered_set>
#include <utility>

#include "actors/session/entry_order.hpp"
#include "actors/session/unit_desk.hpp"
#include "gpu/door/cache_split.hpp"
#include "policies/admission/admission.hpp"

namespace weft::actors {
namespace {

status check_tokens(const request& asked, std::int64_t vocabulary) {
  for (std::size_t index = 0; index < asked.segments.size(); ++index)
    for (const token_id token : asked.segments[index].tokens)
      if (token < 0 || token >= vocabulary)
        return rejected("segment " + std::to_string(index) + " holds token " +
                        std::to_string(token) + ", outside the vocabulary of " +
                        std::to_string(vocabulary));
  return {};
}

status check_sampling(const request& asked) {
  const gpu::sampling& draw = asked.draw;
  if (asked.new_tokens_max < 0)
    return rejected("new_tokens_max must not be negative, but is " +
                    std::to_string(asked.new_tokens_max));
  if (!std::isfinite(draw.temperature) || draw.temperature < 0)
    return rejected("temperature must be a number from 0 up");
  if (!(draw.top_p > 0 && draw.top_p <= 1))
    return rejected("top_p must lie above 0 and not above 1");
  if (draw.top_k < 0) return rejected("top_k must not be negative; 0 stands for all tokens");
  return {};
}

// An entry without T must never be offered to anyone else.
status check_transitions(const request& asked) {
  if (asked.with_transitions || !asked.use_cache) return {};
  return rejected("entries without transitions must not be cached; set use_cache to false");
}

prompt_facts facts_of(const request_plan& plan, const plan_limits& limits) {
  prompt_facts facts{.mode = plan.asked.mode,
                     .seams = plan.cut,
                     .new_tokens_max = plan.asked.new_tokens_max,
                     .positions_max = limits.positions_max};
  for (const request_segment& segment : plan.asked.segments)
    facts.segments.push_back(
        {.tokens = static_cast<std::int64_t>(segment.tokens.size()), .reusable = segment.reusable});
  return facts;
}

void name_entries(request_plan& plan, const entry_names& names) {
  const mode_traits& traits = traits_of(plan.asked.mode);
  const std::string& scope = plan.asked.scope;
  std::optional<messages::entry_key> chain;
  const auto anchor_tokens = traits.uses_anchor && names.anchor()
                                 ? static_cast<std::int64_t>(names.anchor()->ids.size())
                                 : 0;
  bool splices = false;
  for (const prompt_piece& piece : plan.layout.pieces) {
    if (piece.kind == piece_kind::run) continue;
    const token_ids& ids = plan.asked.segments[piece.segment].tokens;
    const bool splice = piece.kind == piece_kind::splice;
    entry_wanted wanted{.key = splice ? names.splice_key(ids, plan.cut, traits.uses_anchor, scope)
                                      : names.checkpoint_key(ids, chain, scope),
                        .ids = ids,
                        .kind = splice ? gpu::entry_kind::splice : gpu::entry_kind::checkpoint,
                        .stored_tokens = piece.tokens(),
                        .first_position = splice ? anchor_tokens + piece.begin : piece.position,
                        // Alone its head runs too, behind the anchor if there is one.
                        .remake = splice ? work_of(piece.end, anchor_tokens)
                                         : work_of(piece.tokens(), piece.position)};
    if (traits.chains) chain = wanted.key;
    splices = splices || splice;
    plan.entries.push_back(std::move(wanted));
  }
  if (splices && traits.uses_anchor) plan.anchor = names.anchor();
  if (splices && plan.cut.head_tokens > 0) plan.isolated_runs = {plan.cut.head_tokens};
}

// Behind the anchor a segment's own tokens stand at positions of their own, which end somewhere
// too.
status check_anchored(const request_plan& plan, std::int64_t positions_max) {
  if (!plan.anchor) return {};
  const auto anchor_tokens = static_cast<std::int64_t>(plan.anchor->ids.size());
  for (const prompt_piece& piece : plan.layout.pieces)
    if (piece.kind == piece_kind::splice && anchor_tokens + piece.end > positions_max)
      return rejected("segment " + std::to_string(piece.segment) + " of " +
                      std::to_string(piece.end) + " tokens behind an anchor of " +
                      std::to_string(anchor_tokens) + " exceeds the limit of " +
                      std::to_string(positions_max) + " positions; shorten either");
  return {};
}

cache_units most_of(const request_plan& plan) {
  cache_units most = sequence_units(plan.layout.context_runs);
  std::unordered_set<messages::entry_key> seen;
  bool isolates = false;
  for (const entry_wanted& wanted : plan.entries) {
    isolates = isolates || wanted.kind == gpu::entry_kind::splice;
    if (seen.insert(wanted.key).second) most += units_of(wanted);
  }
  if (plan.anchor && seen.insert(plan.anchor->key).second) most += units_of(*plan.anchor);
  if (isolates) most += sequence_units(plan.isolated_runs);
  return most;
}

// What would do, in whole MiB: of --cache-bytes each kind of pool gets one half.
std::string cache_that_would_do(const cache_units& needed, const gpu::engine_traits& traits) {
  const gpu::pool_bytes least =
      gpu::least_bytes(needed, {.page = traits.page_bytes,
                                .state_slot = traits.state_slot_bytes,
                                .transition_slot = traits.transition_slot_bytes});
  constexpr std::int64_t mebibyte = 1 << 20;
  const std::int64_t bytes = 2 * std::max(least.pages, least.slots);
  return std::to_string((bytes + mebibyte - 1) / mebibyte) + "M";
}

failure never_fits(std::int64_t needed, std::int64_t lacking, const char* noun,
                   const std::string& would_do) {
  return rejected("the request needs " + std::to_string(needed) + " " + noun + ", " +
                  std::to_string(lacking) + " more than it can ever have, and can never run; " +
                  "shorten the prompt, or give --cache-bytes " + would_do + " at least");
}

}  // namespace

result<request_plan> plan_request(request asked, const plan_limits& limits,
                                  const entry_names& names) {
  request_plan plan;
  plan.asked = std::move(asked);
  if (const status checked = check_tokens(plan.asked, limits.shape->vocabulary); !checked)
    return checked.error();
  if (const status checked = check_sampling(plan.asked); !checked) return checked.error();
  if (const status checked = check_transitions(plan.asked); !checked) return checked.error();
  if (traits_of(plan.asked.mode).splices) {
    plan.cut = plan.asked.wanted_seam.value_or(default_seam(plan.asked.mode, limits.profile_seam));
    const status checked = check_seam(plan.cut, limits.shape->linear.conv_kernel);
    if (!checked) return checked.error();
  }
  auto layout = lay_out(facts_of(plan, limits));
  if (!layout) return layout.error();
  plan.layout = std::move(layout).value();
  name_entries(plan, names);
  if (const status fits = check_anchored(plan, limits.positions_max); !fits) return fits.error();
  plan.most = most_of(plan);
  return plan;
}

result<request_plan> plan_preparation(preparation asked, const plan_limits& limits,
                                      const entry_names& names) {
  request_plan plan;
  plan.answers = false;
  plan.cut = asked.cut;
  plan.asked.mode = reuse_mode::stitched;
  plan.asked.new_tokens_max = 0;
  plan.asked.scope = asked.scope;
  if (asked.documents.empty()) return rejected("a preparation needs one document at least");
  if (asked.anchored) plan.anchor = names.anchor();
  if (plan.cut.head_tokens > 0) plan.isolated_runs = {plan.cut.head_tokens};
  for (token_ids& tokens : asked.documents) {
    entry_order order{.tokens = std::move(tokens),
                      .cut = asked.cut,
                      .anchored = asked.anchored,
                      .scope = asked.scope};
    auto wanted = entry_wanted_by(order, names, limits.shape->linear.conv_kernel);
    if (!wanted) return wanted.error();
    const auto count = static_cast<std::int64_t>(order.tokens.size());
    if (wanted->first_position + wanted->stored_tokens > limits.positions_max)
      return rejected("a document of " + std::to_string(count) + " tokens exceeds the limit of " +
                      std::to_string(limits.positions_max) + " positions; cut it in two");
    plan.layout.pieces.push_back({.kind = piece_kind::splice,
                                  .segment = plan.layout.segments.size(),
                                  .begin = asked.cut.head_tokens,
                                  .end = count - asked.cut.tail_tokens,
                                  .position = asked.cut.head_tokens});
    plan.layout.segments.push_back({.role = segment_role::document,
                                    .treatment = piece_kind::splice,
                                    .tokens = count,
                                    .seam_tokens = asked.cut.head_tokens + asked.cut.tail_tokens,
                                    .reused_if_warm = wanted->stored_tokens});
    plan.layout.prompt_tokens += count;
    plan.entries.push_back(std::move(wanted).value());
    plan.asked.segments.push_back({.tokens = std::move(order.tokens)});
  }
  if (const status checked = check_tokens(plan.asked, limits.shape->vocabulary); !checked)
    return checked.error();
  plan.most = most_of(plan);
  return plan;
}

status check_fits(const request_plan& plan, const gpu::engine_counts& pools,
                  const gpu::engine_traits& traits) {
  const auto pinned = [](const gpu::pool_counts& pool) {
    return pool.held[static_cast<std::size_t>(gpu::unit_owner::pinned)];
  };
  cache_units kept{.pages = pinned(pools.pages),
                   .state_slots = pinned(pools.state_slots),
                   .transition_slots = pinned(pools.transition_slots)};
  // Its own anchor is counted in what it needs.
  if (plan.anchor) kept = missing(kept, units_of(*plan.anchor));
  const admission answer = admit({.most = plan.most,
                                  .total = {.pages = pools.pages.total,
                                            .state_slots = pools.state_slots.total,
                                            .transition_slots = pools.transition_slots.total},
                                  .kept = kept});
  if (answer.verdict != admission_verdict::never) return {};
  const cache_units& lacking = answer.lacking;
  cache_units all = plan.most;
  all += kept;
  const std::string would_do = cache_that_would_do(all, traits);
  if (lacking.pages > 0)
    return never_fits(plan.most.pages, lacking.pages, "key-value pages", would_do);
  if (lacking.state_slots > 0)
    return never_fits(plan.most.state_slots, lacking.state_slots, "state slots", would_do);
  return never_fits(plan.most.transition_slots, lacking.transition_slots, "transition slots",
                    would_do);
}

}  // namespace weft::actors
