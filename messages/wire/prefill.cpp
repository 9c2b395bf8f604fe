#include "messages/wire/prefill.hpp"

#include <algorithm>
#include <numeric>

#include "messages/wire/bounds.hpp"
#include "messages/wire/field_check.hpp"

namespace weft::messages::prefill {

namespace {

// One overload per message, as std::visit wants it.
struct checker {
  field_check& fields;

  void operator()(const make_entries& what) const {
    place(what.plan, 0, "makeEntries.attempt");
    fields.life(what.combine, "makeEntries.combine");
    fields.text(what.combine_control.host, host_bytes_max, "makeEntries.combineControl.host");
    fields.text(what.combine_data.host, host_bytes_max, "makeEntries.combineData.host");
    fields.text(what.scope, scope_bytes_max, "makeEntries.scope");
    fields.count(what.anchor.size(), segments_max, "makeEntries.anchor");
    std::int64_t tokens = 0;
    for (const token_ids& part : what.anchor) {
      if (!add(tokens, part, anchor_tokens_max, "makeEntries.anchor")) return;
    }
    fields.demand(!what.entries.empty(), "makeEntries.entries", "is empty");
    fields.count(what.entries.size(), segments_max, "makeEntries.entries");
    tokens = 0;
    std::int64_t next = 0;
    for (const entry_to_make& one : what.entries) {
      const bool fits =
          fields.range(one.segment, next, segments_max - 1, "makeEntries.entries.segment") &&
          add(tokens, one.tokens, prompt_tokens_max, "makeEntries.entries.tokens") && check(one);
      if (!fits) return;
      next = one.segment + 1;
    }
  }

  void operator()(const lease_request& what) const {
    place(what.plan, what.segment, "leaseRequest.attempt");
    fields.range(what.duration_ms, 1, count_max, "leaseRequest.durationMs");
  }

  void operator()(const offer& what) const {
    place(what.plan, what.segment, "offer.attempt");
    check(what.form);
    fields.text(what.data.host, host_bytes_max, "offer.data.host");
    fields.demand(!what.data.host.empty() && what.data.port != 0, "offer.data", "names no place");
    ticket(what.ticket, "offer.ticket");
    fields.range(what.lease_ms, 1, count_max, "offer.leaseMs");
  }

  void operator()(const layer_ready& what) const {
    ticket(what.ticket, "layerReady.ticket");
    fields.range(what.layer, 0, layers_max - 1, "layerReady.layer");
    flags(what.closed, "layerReady.closed");
  }

  void operator()(const refusal& what) const { place(what.plan, what.segment, "refusal.attempt"); }

  void operator()(const release& what) const { ticket(what.ticket, "release.ticket"); }

  void operator()(const took_back& what) const {
    place(what.plan, what.segment, "tookBack.attempt");
  }

  void place(const attempt& plan, std::int64_t segment, std::string_view field) const {
    fields.demand(plan.request.gateway.bits != 0 && plan.request.number != 0, field,
                  "names no request");
    fields.demand(plan.generation.number != 0, field, "has no generation");
    fields.range(segment, 0, segments_max - 1, field);
  }

  void ticket(const transfer_ticket& shown, std::string_view field) const {
    fields.demand(shown != transfer_ticket(), field, "is no ticket");
  }

  void flags(const std::vector<std::uint8_t>& closed, std::string_view field) const {
    fields.count(closed.size(), flags_max, field);
    const bool known =
        std::all_of(closed.begin(), closed.end(), [](auto flag) { return flag < 2; });
    fields.demand(known, field, "holds more than 0 and 1");
  }

  // Counts `part` into `tokens`, of which there may be `most`.
  bool add(std::int64_t& tokens, const token_ids& part, std::int64_t most,
           std::string_view field) const {
    tokens += static_cast<std::int64_t>(part.size());
    const bool known = std::all_of(part.begin(), part.end(), [](token_id id) { return id >= 0; });
    return fields.range(tokens, 0, most, field) &&
           fields.demand(!part.empty(), field, "has an empty segment") &&
           fields.demand(known, field, "holds a negative id");
  }

  bool check(const entry_to_make& one) const {
    const auto tokens = static_cast<std::int64_t>(one.tokens.size());
    return fields.range(one.seams.head_tokens, 0, tokens, "makeEntries.entries.headTokens") &&
           fields.range(one.seams.tail_tokens, 0, tokens - one.seams.head_tokens,
                        "makeEntries.entries.tailTokens");
  }

  void check(const entry_form& form) const {
    fields.range(form.stored_tokens, 1, prompt_tokens_max, "offer.form.storedTokens");
    fields.range(form.local_begin, 0, prompt_tokens_max, "offer.form.localBegin");
    fields.range(form.conv_rows, 0, conv_rows_max, "offer.form.convRows");
    flags(form.closed, "offer.form.closed");
    fields.demand(!form.layer_bytes.empty(), "offer.form.layerBytes", "is empty");
    fields.count(form.layer_bytes.size(), layers_max, "offer.form.layerBytes");
    std::int64_t left = transfer_bytes_max;
    for (const std::int64_t bytes : form.layer_bytes) {
      if (!fields.range(bytes, 0, left, "offer.form.layerBytes")) return;
      left -= bytes;
    }
  }
};

}  // namespace

std::int64_t entry_form::bytes() const {
  return std::accumulate(layer_bytes.begin(), layer_bytes.end(), std::int64_t{0});
}

status check(const message& what) {
  field_check fields("prefill");
  std::visit(checker{fields}, what);
  return fields.verdict();
}

}  // namespace weft::messages::prefill
