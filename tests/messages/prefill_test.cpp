#include "messages/wire/prefill.hpp"

#include "messages/wire/bounds.hpp"
#include "tests/messages/wire_refusals.hpp"

namespace weft::messages::prefill {

using test::check_refused;

TEST_CASE("an order to make entries is refused by the field that makes no sense",
          "[messages][prefill]") {
  using order = make_entries;
  check_refused<order>(
      "prefill.make_entries",
      {{"makeEntries.attempt", [](order& m) { m.plan.generation = {}; }},
       {"makeEntries.attempt", [](order& m) { m.plan.request = {}; }},
       {"makeEntries.combine ", [](order& m) { m.combine = {}; }},
       {"makeEntries.combineControl.host", [](order& m) { m.combine_control.host = "\xFF"; }},
       {"makeEntries.combineData.host", [](order& m) { m.combine_data.host.assign(254, 'h'); }},
       {"makeEntries.scope", [](order& m) { m.scope.assign(257, 's'); }},
       {"makeEntries.anchor has", [](order& m) { m.anchor.resize(segments_max + 1, {1}); }},
       {"makeEntries.anchor is", [](order& m) { m.anchor[0].resize(anchor_tokens_max); }},
       {"makeEntries.anchor has an empty", [](order& m) { m.anchor[1].clear(); }},
       {"makeEntries.entries is empty", [](order& m) { m.entries.clear(); }},
       {"makeEntries.entries has",
        [](order& m) { m.entries.resize(segments_max + 1, m.entries[0]); }},
       {"makeEntries.entries.segment", [](order& m) { m.entries[1].segment = 1; }},
       {"makeEntries.entries.segment", [](order& m) { m.entries[1].segment = segments_max; }},
       {"makeEntries.entries.tokens is",
        [](order& m) { m.entries[1].tokens.resize(prompt_tokens_max); }},
       {"makeEntries.entries.tokens holds", [](order& m) { m.entries[1].tokens[3] = -1; }},
       {"makeEntries.entries.tokens has", [](order& m) { m.entries[1].tokens.clear(); }},
       {"makeEntries.entries.headTokens", [](order& m) { m.entries[0].seams.head_tokens = 4; }},
       {"makeEntries.entries.tailTokens", [](order& m) { m.entries[0].seams.tail_tokens = 3; }}});
}

TEST_CASE("leases have a time, offers a place and a ticket", "[messages][prefill]") {
  check_refused<lease_request>(
      "prefill.lease_request",
      {{"leaseRequest.attempt", [](lease_request& m) { m.plan = {}; }},
       {"leaseRequest.attempt", [](lease_request& m) { m.segment = -1; }},
       {"leaseRequest.durationMs", [](lease_request& m) { m.duration_ms = 0; }}});
  check_refused<offer>("prefill.offer",
                       {{"offer.attempt", [](offer& m) { m.plan = {}; }},
                        {"offer.attempt", [](offer& m) { m.segment = segments_max; }},
                        {"offer.data", [](offer& m) { m.data.port = 0; }},
                        {"offer.data", [](offer& m) { m.data.host = ""; }},
                        {"offer.ticket", [](offer& m) { m.ticket = {}; }},
                        {"offer.leaseMs", [](offer& m) { m.lease_ms = count_max + 1; }}});
  check_refused<layer_ready>("prefill.layer_ready",
                             {{"layerReady.ticket", [](layer_ready& m) { m.ticket = {}; }},
                              {"layerReady.layer", [](layer_ready& m) { m.layer = layers_max; }},
                              {"layerReady.closed", [](layer_ready& m) { m.closed[1] = 2; }}});
  check_refused<refusal>("prefill.refusal",
                         {{"refusal.attempt", [](refusal& m) { m.plan.generation = {}; }}});
  check_refused<release>("prefill.release",
                         {{"release.ticket", [](release& m) { m.ticket = {}; }}});
  check_refused<took_back>("prefill.took_back",
                           {{"tookBack.attempt", [](took_back& m) { m.segment = -1; }}});
}

TEST_CASE("an entry's form has layers whose bytes add up", "[messages][prefill]") {
  check_refused<offer>(
      "prefill.offer",
      {{"offer.form.storedTokens", [](offer& m) { m.form.stored_tokens = 0; }},
       {"offer.form.localBegin", [](offer& m) { m.form.local_begin = -1; }},
       {"offer.form.convRows", [](offer& m) { m.form.conv_rows = conv_rows_max + 1; }},
       {"offer.form.closed holds", [](offer& m) { m.form.closed[0] = 255; }},
       {"offer.form.closed has", [](offer& m) { m.form.closed.resize(flags_max + 1); }},
       {"offer.form.layerBytes is empty", [](offer& m) { m.form.layer_bytes.clear(); }},
       {"offer.form.layerBytes has", [](offer& m) { m.form.layer_bytes.resize(layers_max + 1); }},
       {"offer.form.layerBytes is -1", [](offer& m) { m.form.layer_bytes[2] = -1; }},
       {"offer.form.layerBytes is",
        [](offer& m) { m.form.layer_bytes[1] = transfer_bytes_max - 1'048'576; }}});
  CHECK(test::sample_of<offer>("prefill.offer").form.bytes() == 1'048'576 + 4096 + 1);
}

}  // namespace weft::messages::prefill
