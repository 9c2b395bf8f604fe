#include "messages/wire/prefill_codec.hpp"

#include "messages/wire/bounds.hpp"
#include "messages/wire/codec_border.hpp"
#include "messages/wire/common_codec.hpp"
#include "messages/wire/prefill.capnp.h"

namespace weft::messages::prefill {

namespace {

using reason_row = enumerant<schema::RefusalReason, refusal_reason>;
constexpr std::array reasons = {
    reason_row{schema::RefusalReason::NOT_HERE, refusal_reason::not_here},
    reason_row{schema::RefusalReason::NO_ROOM, refusal_reason::no_room},
    reason_row{schema::RefusalReason::FAILED, refusal_reason::failed}};

// LeaseRequest, Offer, Refusal and TookBack begin with these.
template <class Struct, class Message>
void write_place(Struct out, const Message& from) {
  write(out.initAttempt(), from.plan);
  out.setSegment(static_cast<std::uint32_t>(from.segment));
}

void write_form(schema::EntryForm::Builder out, const entry_form& from) {
  out.setKind(wire_of(from.kind));
  out.setStoredTokens(static_cast<std::uint32_t>(from.stored_tokens));
  out.setLocalBegin(static_cast<std::uint32_t>(from.local_begin));
  out.setFromZero(from.from_zero);
  out.setConvRows(static_cast<std::uint32_t>(from.conv_rows));
  out.setClosed(flags_out(from.closed));
  auto layers = out.initLayerBytes(static_cast<unsigned>(from.layer_bytes.size()));
  for (unsigned i = 0; i < layers.size(); ++i)
    layers.set(i, static_cast<std::uint64_t>(from.layer_bytes[i]));
}

// One overload per message, as std::visit wants it.
struct writer {
  schema::Prefill::Builder root;

  void operator()(const make_entries& from) {
    auto out = root.initMakeEntries();
    write(out.initAttempt(), from.plan);
    write(out.initCombine(), from.combine);
    write(out.initCombineControl(), from.combine_control);
    write(out.initCombineData(), from.combine_data);
    out.setScope(text_out(from.scope));
    auto anchor = out.initAnchor(static_cast<unsigned>(from.anchor.size()));
    for (unsigned i = 0; i < anchor.size(); ++i)
      fill(anchor.init(i, static_cast<unsigned>(from.anchor[i].size())), from.anchor[i]);
    auto entries = out.initEntries(static_cast<unsigned>(from.entries.size()));
    for (unsigned i = 0; i < entries.size(); ++i) {
      const entry_to_make& one = from.entries[i];
      entries[i].setSegment(static_cast<std::uint32_t>(one.segment));
      entries[i].setKind(wire_of(one.kind));
      entries[i].setHeadTokens(static_cast<std::uint32_t>(one.seams.head_tokens));
      entries[i].setTailTokens(static_cast<std::uint32_t>(one.seams.tail_tokens));
      entries[i].setKey(bits_out(one.key.bytes));
      fill(entries[i].initTokens(static_cast<unsigned>(one.tokens.size())), one.tokens);
    }
  }

  void operator()(const lease_request& from) {
    auto out = root.initLeaseRequest();
    write_place(out, from);
    out.setKey(bits_out(from.key.bytes));
    out.setDurationMs(static_cast<std::uint32_t>(from.duration_ms));
  }

  void operator()(const offer& from) {
    auto out = root.initOffer();
    write_place(out, from);
    out.setKey(bits_out(from.key.bytes));
    write_form(out.initForm(), from.form);
    write(out.initData(), from.data);
    out.setTicket(bits_out(from.ticket.bits));
    out.setLeaseMs(static_cast<std::uint32_t>(from.lease_ms));
  }

  void operator()(const layer_ready& from) {
    auto out = root.initLayerReady();
    out.setTicket(bits_out(from.ticket.bits));
    out.setLayer(static_cast<std::uint32_t>(from.layer));
    out.setClosed(flags_out(from.closed));
  }

  void operator()(const refusal& from) {
    auto out = root.initRefusal();
    write_place(out, from);
    out.setKey(bits_out(from.key.bytes));
    out.setReason(to_wire(reasons, from.reason));
    out.setMessage(text_out(sendable(from.message)));
  }

  void operator()(const release& from) { root.initRelease().setTicket(bits_out(from.ticket.bits)); }

  void operator()(const took_back& from) { write_place(root.initTookBack(), from); }
};

entry_to_make read_entry(schema::EntryToMake::Reader in, std::int64_t& tokens_left,
                         field_check& fields) {
  return {.segment = in.getSegment(),
          .kind = read(in.getKind(), fields, "makeEntries.entries.kind"),
          .seams = {.head_tokens = in.getHeadTokens(), .tail_tokens = in.getTailTokens()},
          .key = {bits_in(in.getKey(), fields, "makeEntries.entries.key")},
          .tokens = ids_in(in.getTokens(), tokens_left, fields, "makeEntries.entries.tokens")};
}

make_entries read_order(schema::MakeEntries::Reader in, field_check& fields) {
  std::int64_t anchor_left = anchor_tokens_max;
  std::int64_t tokens_left = prompt_tokens_max;
  return {.plan = read(in.getAttempt()),
          .combine = read(in.getCombine(), fields, "makeEntries.combine"),
          .combine_control = read(in.getCombineControl(), fields, "makeEntries.combineControl"),
          .combine_data = read(in.getCombineData(), fields, "makeEntries.combineData"),
          .scope = text_in(in.getScope(), scope_bytes_max, fields, "makeEntries.scope"),
          .anchor = list_in(in.getAnchor(), segments_max, fields, "makeEntries.anchor",
                            [&](const auto& part) {
                              return ids_in(part, anchor_left, fields, "makeEntries.anchor");
                            }),
          .entries = list_in(in.getEntries(), segments_max, fields, "makeEntries.entries",
                             [&](schema::EntryToMake::Reader one) {
                               return read_entry(one, tokens_left, fields);
                             })};
}

entry_form read_form(schema::EntryForm::Reader in, field_check& fields) {
  return {
      .kind = read(in.getKind(), fields, "offer.form.kind"),
      .stored_tokens = in.getStoredTokens(),
      .local_begin = in.getLocalBegin(),
      .from_zero = in.getFromZero(),
      .conv_rows = in.getConvRows(),
      .closed = flags_in(in.getClosed(), fields, "offer.form.closed"),
      .layer_bytes = list_in(in.getLayerBytes(), layers_max, fields, "offer.form.layerBytes",
                             [](std::uint64_t bytes) { return static_cast<std::int64_t>(bytes); })};
}

offer read_offer(schema::Offer::Reader in, field_check& fields) {
  return {.plan = read(in.getAttempt()),
          .segment = in.getSegment(),
          .key = {bits_in(in.getKey(), fields, "offer.key")},
          .form = read_form(in.getForm(), fields),
          .data = read(in.getData(), fields, "offer.data"),
          .ticket = {bits_in(in.getTicket(), fields, "offer.ticket")},
          .lease_ms = in.getLeaseMs()};
}

refusal read_refusal(schema::Refusal::Reader in, field_check& fields) {
  return {.plan = read(in.getAttempt()),
          .segment = in.getSegment(),
          .key = {bits_in(in.getKey(), fields, "refusal.key")},
          .reason = from_wire(reasons, in.getReason(), fields, "refusal.reason"),
          .message = sentence_in(view_of(in.getMessage()), fields, "refusal.message")};
}

message read_message(schema::Prefill::Reader root, field_check& fields) {
  switch (root.which()) {
    case schema::Prefill::MAKE_ENTRIES: return read_order(root.getMakeEntries(), fields);
    case schema::Prefill::LEASE_REQUEST: {
      const auto in = root.getLeaseRequest();
      return lease_request{.plan = read(in.getAttempt()),
                           .segment = in.getSegment(),
                           .key = {bits_in(in.getKey(), fields, "leaseRequest.key")},
                           .duration_ms = in.getDurationMs()};
    }
    case schema::Prefill::OFFER: return read_offer(root.getOffer(), fields);
    case schema::Prefill::LAYER_READY: {
      const auto in = root.getLayerReady();
      return layer_ready{.ticket = {bits_in(in.getTicket(), fields, "layerReady.ticket")},
                         .layer = in.getLayer(),
                         .closed = flags_in(in.getClosed(), fields, "layerReady.closed")};
    }
    case schema::Prefill::REFUSAL: return read_refusal(root.getRefusal(), fields);
    case schema::Prefill::RELEASE:
      return release{.ticket = {bits_in(root.getRelease().getTicket(), fields, "release.ticket")}};
    case schema::Prefill::TOOK_BACK: {
      const auto in = root.getTookBack();
      return took_back{.plan = read(in.getAttempt()), .segment = in.getSegment()};
    }
    default: break;  // Of a newer build.
  }
  fields.demand(false, "the message", "is of a kind that this build does not know");
  return {};
}

// Words of the lists that can be long: a first allocation that is large enough is the only one.
std::size_t words_of(const message& what) {
  const auto* order = std::get_if<make_entries>(&what);
  if (order == nullptr) return 0;
  std::size_t words = 12 * order->entries.size() + 2 * order->anchor.size();
  for (const entry_to_make& one : order->entries) words += one.tokens.size() / 2;
  for (const token_ids& part : order->anchor) words += part.size() / 2;
  return words;
}

}  // namespace

result<envelope> encode(const message& what) {
  const status fits = check(what);
  if (!fits.ok()) return fits.error();
  return pack<schema::Prefill>(schema_id::prefill, 128 + words_of(what),
                               [&](auto root) { std::visit(writer{root}, what); });
}

result<message> decode(const envelope& from) {
  return unpack<message, schema::Prefill>(schema_id::prefill, from, read_message);
}

}  // namespace weft::messages::prefill
