#include "messages/wire/serving.hpp"

#include <algorithm>
#include <cmath>

#include "messages/wire/bounds.hpp"
#include "messages/wire/field_check.hpp"

namespace weft::messages::serving {

namespace {

// One overload per message, as std::visit wants it.
struct checker {
  field_check& fields;

  void operator()(const generate& what) const {
    request(what.request, "generate.request");
    check(what.wanted);
  }

  void operator()(const accepted& what) const {
    plan(what.plan, "accepted.attempt");
    fields.life(what.worker, "accepted.worker");
  }

  void operator()(const refused& what) const {
    request(what.request, "refused.request");
    fields.range(what.retry_after_ms, 0, count_max, "refused.retryAfterMs");
  }

  void operator()(const serve& what) const {
    plan(what.plan, "serve.attempt");
    fields.life(what.gateway, "serve.gateway");
    const std::int64_t prompt_tokens = check(what.wanted);
    const auto told = static_cast<std::int64_t>(what.told.size());
    fields.range(told, 0, what.wanted.new_tokens_max, "serve.told");
    fields.range(prompt_tokens + told, 0, prompt_tokens_max, "serve.work and serve.told");
    ids(what.told, "serve.told");
    std::int64_t next = 0;
    const auto segments = static_cast<std::int64_t>(what.wanted.segments.size());
    for (const source& from : what.sources) {
      if (!fields.range(from.segment, next, segments - 1, "serve.sources.segment")) return;
      next = from.segment + 1;
      if (from.kind == source_kind::self) {
        fields.demand(from.worker == node_life(), "serve.sources.from", "is self and names a node");
      } else {
        fields.life(from.worker, "serve.sources.from");
      }
    }
  }

  void operator()(const new_tokens& what) const {
    plan(what.plan, "newTokens.attempt");
    fields.demand(!what.ids.empty(), "newTokens.ids", "is empty");
    ids(what.ids, "newTokens.ids");
    fields.range(static_cast<std::int64_t>(what.ids.size()), 0, prompt_tokens_max, "newTokens.ids");
    fields.range(what.first_index, 0, prompt_tokens_max, "newTokens.firstIndex");
    fields.demand(what.logprobs.empty() || what.logprobs.size() == what.ids.size(),
                  "newTokens.logprobs", "is neither empty nor one for each id");
    for (const double logprob : what.logprobs) {
      // -inf is the logarithm of a probability; +inf and NaN are of none.
      const bool fits = !std::isnan(logprob) && !(std::isinf(logprob) && logprob > 0);
      if (!fields.demand(fits, "newTokens.logprobs", "holds NaN or +inf")) return;
    }
  }

  void operator()(const finished& what) const {
    plan(what.plan, "finished.attempt");
    fields.count(what.receipts.size(), segments_max, "finished.receipts");
    for (const receipt& one : what.receipts) {
      check(one);
      if (!fields.ok()) return;
    }
    fields.range(what.prompt_tokens, 0, prompt_tokens_max, "finished.promptTokens");
    fields.range(what.reused_tokens, 0, what.prompt_tokens, "finished.reusedTokens");
    fields.range(what.new_tokens, 0, prompt_tokens_max, "finished.newTokens");
    const request_times& times = what.times;
    for (const double ms : {times.queue_ms, times.plan_ms, times.prefill_ms, times.splice_ms,
                            times.first_token_ms, times.total_ms}) {
      fields.measure(ms, "finished.times");
    }
  }

  void operator()(const failed& what) const { plan(what.plan, "failed.attempt"); }

  void operator()(const served& what) const {
    plan(what.plan, "served.attempt");
    fields.range(what.prefilled_tokens, 0, count_max, "served.prefilledTokens");
    fields.measure(what.measured_ms, "served.measuredMs");
  }

  // Generation 0 means any, so only the request is asked for.
  void operator()(const cancel& what) const { request(what.plan.request, "cancel.attempt"); }

  void request(const request_id& id, std::string_view field) const {
    fields.demand(id.gateway.bits != 0 && id.number != 0, field, "names no request");
  }

  void plan(const attempt& which, std::string_view field) const {
    request(which.request, field);
    fields.demand(which.generation.number != 0, field, "has no generation");
  }

  void ids(const token_ids& all, std::string_view field) const {
    const bool known = std::all_of(all.begin(), all.end(), [](token_id id) { return id >= 0; });
    fields.demand(known, field, "holds a negative id");
  }

  // Tokens of the prompt.
  std::int64_t check(const work& what) const {
    fields.text(what.scope, scope_bytes_max, "work.scope");
    fields.demand(!what.segments.empty(), "work.segments", "is empty");
    fields.count(what.segments.size(), segments_max, "work.segments");
    if (what.wanted_seam) {
      fields.range(what.wanted_seam->head_tokens, 0, prompt_tokens_max, "work.seam.headTokens");
      fields.range(what.wanted_seam->tail_tokens, 0, prompt_tokens_max, "work.seam.tailTokens");
    }
    fields.measure(what.draw.temperature, "work.draw.temperature");
    fields.range(what.draw.top_k, 0, count_max, "work.draw.topK");
    fields.demand(what.draw.top_p > 0 && what.draw.top_p <= 1, "work.draw.topP",
                  "is outside (0, 1]");
    fields.range(what.new_tokens_max, 0, prompt_tokens_max, "work.newTokensMax");
    fields.range(what.deadline_ms, 0, count_max, "work.deadlineMs");
    std::int64_t tokens = 0;
    for (const segment& part : what.segments) {
      tokens += static_cast<std::int64_t>(part.tokens.size());
      const bool fits = fields.range(tokens, 0, prompt_tokens_max, "work.segments.tokens") &&
                        fields.demand(!part.tokens.empty(), "work.segments.tokens", "is empty");
      if (!fits) return tokens;
      ids(part.tokens, "work.segments.tokens");
    }
    return tokens;
  }

  void check(const receipt& what) const {
    fields.range(what.segment, 0, segments_max - 1, "finished.receipts.segment");
    fields.range(what.tokens, 0, prompt_tokens_max, "finished.receipts.tokens");
    fields.range(what.seam_tokens, 0, what.tokens, "finished.receipts.seamTokens");
    fields.range(what.reused_tokens, 0, what.tokens, "finished.receipts.reusedTokens");
    fields.text(what.tier, tier_bytes_max, "finished.receipts.tier");
    fields.demand(what.worker.empty() || is_node_name(what.worker), "finished.receipts.worker",
                  "is no node's name");
    fields.range(what.bytes_moved, 0, transfer_bytes_max, "finished.receipts.bytesMoved");
    fields.measure(what.milliseconds, "finished.receipts.milliseconds");
  }
};

}  // namespace

status check(const message& what) {
  field_check fields("serving");
  std::visit(checker{fields}, what);
  return fields.verdict();
}

}  // namespace weft::messages::serving
