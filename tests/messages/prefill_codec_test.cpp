#include "messages/wire/prefill_codec.hpp"

#include <catch2/catch.hpp>

#include "messages/wire/bounds.hpp"
#include "messages/wire/prefill.capnp.h"
#include "tests/messages/wire_rewrite.hpp"
#include "tests/messages/wire_samples.hpp"

namespace weft::messages::prefill {

namespace {

using Catch::Matchers::Contains;
using root = schema::Prefill::Builder;

template <class Change>
std::string refusal_after(std::string_view sample, const Change& change) {
  return test::refusal_in(
      decode(test::rewritten<schema::Prefill>(test::packed_sample(sample), change)));
}

}  // namespace

TEST_CASE("kinds of entries and reasons that this build does not know are refused by field",
          "[messages][prefill_codec]") {
  CHECK_THAT(refusal_after("prefill.make_entries",
                           [](root what) {
                             what.getMakeEntries().getEntries()[1].setKind(
                                 test::unknown<schema::EntryKind>());
                           }),
             Contains("makeEntries.entries.kind is 999, which this build does not know"));
  CHECK_THAT(refusal_after("prefill.offer",
                           [](root what) {
                             what.getOffer().getForm().setKind(test::unknown<schema::EntryKind>());
                           }),
             Contains("offer.form.kind is 999"));
  CHECK_THAT(refusal_after("prefill.refusal",
                           [](root what) {
                             what.getRefusal().setReason(test::unknown<schema::RefusalReason>());
                           }),
             Contains("refusal.reason is 999"));
}

TEST_CASE("every kind and reason comes back", "[messages][prefill_codec]") {
  auto offered = test::sample_of<offer>("prefill.offer");
  for (const key_kind kind : {key_kind::entry, key_kind::checkpoint}) {
    offered.form.kind = kind;
    CHECK(*decode(*encode(offered)) == message(offered));
  }
  auto refused = test::sample_of<refusal>("prefill.refusal");
  for (const auto reason :
       {refusal_reason::not_here, refusal_reason::no_room, refusal_reason::failed}) {
    refused.reason = reason;
    CHECK(*decode(*encode(refused)) == message(refused));
  }
}

TEST_CASE("entries, anchors, layers and flags beyond their bounds are refused by field",
          "[messages][prefill_codec]") {
  const auto order_after = [](const auto& change) {
    return refusal_after("prefill.make_entries", [&](root what) { change(what.getMakeEntries()); });
  };
  CHECK_THAT(order_after([](auto order) { order.initEntries(segments_max + 1); }),
             Contains("makeEntries.entries has 4097 items"));
  CHECK_THAT(order_after([](auto order) { order.getEntries()[1].initTokens(prompt_tokens_max); }),
             Contains("makeEntries.entries.tokens has 262144 items; at most 262141"));
  CHECK_THAT(order_after([](auto order) { order.initAnchor(segments_max + 1); }),
             Contains("makeEntries.anchor has 4097 items"));
  CHECK_THAT(order_after([](auto order) { order.getAnchor().init(1, anchor_tokens_max); }),
             Contains("makeEntries.anchor has 65536 items; at most 65534"));
  CHECK_THAT(
      refusal_after("prefill.offer",
                    [](root what) { what.getOffer().getForm().initLayerBytes(layers_max + 1); }),
      Contains("offer.form.layerBytes has 1025 items"));
  CHECK_THAT(refusal_after("prefill.offer",
                           [](root what) { what.getOffer().getForm().initClosed(flags_max + 1); }),
             Contains("offer.form.closed has 65537 items"));
  CHECK_THAT(refusal_after("prefill.layer_ready",
                           [](root what) { what.getLayerReady().initClosed(flags_max + 1); }),
             Contains("layerReady.closed has 65537 items"));
}

TEST_CASE("layers whose bytes would overflow a sum are refused", "[messages][prefill_codec]") {
  CHECK_THAT(refusal_after("prefill.offer",
                           [](root what) {
                             auto layers = what.getOffer().getForm().initLayerBytes(2);
                             layers.set(0, std::uint64_t{1} << 48);
                             layers.set(1, 1);
                           }),
             Contains("offer.form.layerBytes is 1, outside [0, 0]"));
  CHECK_THAT(refusal_after("prefill.offer",
                           [](root what) {
                             what.getOffer().getForm().getLayerBytes().set(0, ~std::uint64_t{0});
                           }),
             Contains("offer.form.layerBytes is -1"));
}

TEST_CASE("keys and tickets that are not 32 bytes are refused", "[messages][prefill_codec]") {
  CHECK_THAT(refusal_after("prefill.make_entries",
                           [](root what) { what.getMakeEntries().getEntries()[0].initKey(31); }),
             Contains("makeEntries.entries.key does not have 32 bytes"));
  CHECK_THAT(refusal_after("prefill.release", [](root what) { what.getRelease().initTicket(33); }),
             Contains("release.ticket does not have 32 bytes"));
  CHECK_THAT(refusal_after("prefill.release", [](root what) { what.getRelease().initTicket(32); }),
             Contains("release.ticket is no ticket"));
}

TEST_CASE("an order for the longest prompt behind the longest anchor fits an envelope",
          "[messages][prefill_codec]") {
  auto order = test::sample_of<make_entries>("prefill.make_entries");
  order.anchor = {token_ids(anchor_tokens_max, 3)};
  order.entries.clear();
  for (std::size_t i = 0; i < segments_max; ++i) {
    order.entries.push_back({.segment = static_cast<std::int64_t>(i),
                             .key = test::key_from(1),
                             .tokens = token_ids(prompt_tokens_max / segments_max, 7)});
  }
  const auto packed = encode(order);
  INFO(test::refusal_in(packed));
  REQUIRE(packed.ok());
  CHECK(*decode(*packed) == message(order));
}

}  // namespace weft::messages::prefill
