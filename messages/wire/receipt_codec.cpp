#include "messages/wire/receipt_codec.hpp"

#include <optional>

#include "messages/wire/bounds.hpp"
#include "messages/wire/codec_border.hpp"
#include "policies/vocabulary/node_name.hpp"

namespace weft::messages {

namespace {

using role_row = enumerant<schema::SegmentRole, segment_role>;
constexpr std::array roles = {role_row{schema::SegmentRole::LEAD, segment_role::lead},
                              role_row{schema::SegmentRole::DOCUMENT, segment_role::document},
                              role_row{schema::SegmentRole::QUESTION, segment_role::question}};

using verdict_row = enumerant<schema::Verdict, verdict>;
constexpr std::array verdicts = {verdict_row{schema::Verdict::WARM, verdict::warm},
                                 verdict_row{schema::Verdict::COLD, verdict::cold},
                                 verdict_row{schema::Verdict::CONTEXT, verdict::context}};

using reason_row = enumerant<schema::VerdictReason, std::optional<verdict_reason>>;
constexpr std::array reasons = {
    reason_row{schema::VerdictReason::NONE, std::nullopt},
    reason_row{schema::VerdictReason::NEW_SEGMENT, verdict_reason::new_segment},
    reason_row{schema::VerdictReason::EVICTED, verdict_reason::evicted},
    reason_row{schema::VerdictReason::OTHER_SCOPE, verdict_reason::other_scope},
    reason_row{schema::VerdictReason::NUMERICS, verdict_reason::numerics},
    reason_row{schema::VerdictReason::INVALID, verdict_reason::invalid},
    reason_row{schema::VerdictReason::LOST, verdict_reason::lost},
    reason_row{schema::VerdictReason::QUESTION, verdict_reason::question},
    reason_row{schema::VerdictReason::SEAM_ONLY, verdict_reason::seam_only},
    reason_row{schema::VerdictReason::NOT_REUSABLE, verdict_reason::not_reusable},
    reason_row{schema::VerdictReason::MODE, verdict_reason::mode}};

}  // namespace

void write(schema::Receipt::Builder out, const receipt& from) {
  out.setSegment(static_cast<std::uint32_t>(from.segment));
  out.setRole(to_wire(roles, from.role));
  out.setTokens(static_cast<std::uint32_t>(from.tokens));
  out.setSeamTokens(static_cast<std::uint32_t>(from.seam_tokens));
  out.setReusedTokens(static_cast<std::uint32_t>(from.reused_tokens));
  out.setVerdict(to_wire(verdicts, from.what));
  out.setReason(to_wire(reasons, from.reason));
  out.setTier(text_out(from.tier));
  out.setWorker(text_out(from.worker));
  out.setBytesMoved(static_cast<std::uint64_t>(from.bytes_moved));
  out.setMilliseconds(from.milliseconds);
}

void write(schema::Times::Builder out, const request_times& from) {
  out.setQueueMs(from.queue_ms);
  out.setPlanMs(from.plan_ms);
  out.setPrefillMs(from.prefill_ms);
  out.setSpliceMs(from.splice_ms);
  out.setFirstTokenMs(from.first_token_ms);
  out.setTotalMs(from.total_ms);
}

receipt read(schema::Receipt::Reader in, field_check& fields) {
  return {
      .segment = in.getSegment(),
      .role = from_wire(roles, in.getRole(), fields, "finished.receipts.role"),
      .tokens = in.getTokens(),
      .seam_tokens = in.getSeamTokens(),
      .reused_tokens = in.getReusedTokens(),
      .what = from_wire(verdicts, in.getVerdict(), fields, "finished.receipts.verdict"),
      .reason = from_wire(reasons, in.getReason(), fields, "finished.receipts.reason"),
      .tier = text_in(in.getTier(), tier_bytes_max, fields, "finished.receipts.tier"),
      .worker = text_in(in.getWorker(), node_name_bytes_max, fields, "finished.receipts.worker"),
      .bytes_moved = static_cast<std::int64_t>(in.getBytesMoved()),
      .milliseconds = in.getMilliseconds()};
}

request_times read(schema::Times::Reader in) {
  return {.queue_ms = in.getQueueMs(),
          .plan_ms = in.getPlanMs(),
          .prefill_ms = in.getPrefillMs(),
          .splice_ms = in.getSpliceMs(),
          .first_token_ms = in.getFirstTokenMs(),
          .total_ms = in.getTotalMs()};
}

}  // namespace weft::messages
