#include "messages/wire/serving_codec.hpp"

#include "messages/wire/bounds.hpp"
#include "messages/wire/codec_border.hpp"
#include "messages/wire/common_codec.hpp"
#include "messages/wire/receipt_codec.hpp"
#include "messages/wire/serving.capnp.h"

namespace weft::messages::serving {

namespace {

using mode_row = enumerant<schema::ReuseMode, reuse_mode>;
constexpr std::array modes = {
    mode_row{schema::ReuseMode::FULL_RECOMPUTE, reuse_mode::full_recompute},
    mode_row{schema::ReuseMode::PREFIX_CACHE, reuse_mode::prefix_cache},
    mode_row{schema::ReuseMode::ADDITION, reuse_mode::addition},
    mode_row{schema::ReuseMode::TRANSITION, reuse_mode::transition},
    mode_row{schema::ReuseMode::TRANSITION_ROPE, reuse_mode::transition_rope},
    mode_row{schema::ReuseMode::TRANSITION_ROPE_RECOMPUTE, reuse_mode::transition_rope_recompute},
    mode_row{schema::ReuseMode::STITCHED, reuse_mode::stitched}};

using outcome_row = enumerant<schema::Outcome, outcome>;
constexpr std::array outcomes = {outcome_row{schema::Outcome::FINISHED, outcome::finished},
                                 outcome_row{schema::Outcome::FAILED, outcome::failed},
                                 outcome_row{schema::Outcome::CANCELLED, outcome::cancelled}};

void write_work(schema::Work::Builder out, const work& from) {
  out.setScope(text_out(from.scope));
  auto segments = out.initSegments(static_cast<unsigned>(from.segments.size()));
  for (unsigned i = 0; i < segments.size(); ++i) {
    const segment& part = from.segments[i];
    fill(segments[i].initTokens(static_cast<unsigned>(part.tokens.size())), part.tokens);
    segments[i].setReusable(part.reusable);
  }
  out.setMode(to_wire(modes, from.mode));
  if (from.wanted_seam) {
    auto wanted = out.getSeam().initWanted();
    wanted.setHeadTokens(static_cast<std::uint32_t>(from.wanted_seam->head_tokens));
    wanted.setTailTokens(static_cast<std::uint32_t>(from.wanted_seam->tail_tokens));
  } else {
    out.getSeam().setProfile();
  }
  auto draw = out.initDraw();
  draw.setTemperature(from.draw.temperature);
  draw.setTopK(static_cast<std::uint32_t>(from.draw.top_k));
  draw.setTopP(from.draw.top_p);
  draw.setSeed(from.draw.seed);
  out.setNewTokensMax(static_cast<std::uint32_t>(from.new_tokens_max));
  out.setWantsLogprobs(from.wants_logprobs);
  out.setDeadlineMs(static_cast<std::uint32_t>(from.deadline_ms));
}

void write_source(schema::Source::Builder out, const source& from) {
  out.setSegment(static_cast<std::uint32_t>(from.segment));
  out.setKey(bits_out(from.key.bytes));
  switch (from.kind) {
    case source_kind::self: out.getFrom().setSelf(); return;
    case source_kind::pull: write(out.getFrom().initPull(), from.worker); return;
    case source_kind::coming: write(out.getFrom().initComing(), from.worker); return;
  }
}

// One overload per message, as std::visit wants it.
struct writer {
  schema::Serving::Builder root;

  void operator()(const generate& from) {
    auto out = root.initGenerate();
    write(out.initRequest(), from.request);
    write_work(out.initWork(), from.wanted);
  }

  void operator()(const accepted& from) {
    auto out = root.initAccepted();
    write(out.initAttempt(), from.plan);
    write(out.initWorker(), from.worker);
  }

  void operator()(const refused& from) {
    auto out = root.initRefused();
    write(out.initRequest(), from.request);
    out.setKind(wire_of(from.kind));
    out.setMessage(text_out(sendable(from.message)));
    out.setRetryAfterMs(static_cast<std::uint32_t>(from.retry_after_ms));
  }

  void operator()(const serve& from) {
    auto out = root.initServe();
    write(out.initAttempt(), from.plan);
    write(out.initGateway(), from.gateway);
    write_work(out.initWork(), from.wanted);
    auto sources = out.initSources(static_cast<unsigned>(from.sources.size()));
    for (unsigned i = 0; i < sources.size(); ++i) write_source(sources[i], from.sources[i]);
    fill(out.initTold(static_cast<unsigned>(from.told.size())), from.told);
  }

  void operator()(const new_tokens& from) {
    auto out = root.initNewTokens();
    write(out.initAttempt(), from.plan);
    out.setFirstIndex(static_cast<std::uint32_t>(from.first_index));
    fill(out.initIds(static_cast<unsigned>(from.ids.size())), from.ids);
    fill(out.initLogprobs(static_cast<unsigned>(from.logprobs.size())), from.logprobs);
  }

  void operator()(const finished& from) {
    auto out = root.initFinished();
    write(out.initAttempt(), from.plan);
    out.setEnded(from.ended);
    auto receipts = out.initReceipts(static_cast<unsigned>(from.receipts.size()));
    for (unsigned i = 0; i < receipts.size(); ++i) write(receipts[i], from.receipts[i]);
    out.setPromptTokens(static_cast<std::uint32_t>(from.prompt_tokens));
    out.setReusedTokens(static_cast<std::uint32_t>(from.reused_tokens));
    out.setNewTokens(static_cast<std::uint32_t>(from.new_tokens));
    write(out.initTimes(), from.times);
  }

  void operator()(const failed& from) {
    auto out = root.initFailed();
    write(out.initAttempt(), from.plan);
    out.setKind(wire_of(from.kind));
    out.setMessage(text_out(sendable(from.message)));
  }

  void operator()(const served& from) {
    auto out = root.initServed();
    write(out.initAttempt(), from.plan);
    out.setOutcome(to_wire(outcomes, from.how));
    out.setPrefilledTokens(static_cast<std::uint32_t>(from.prefilled_tokens));
    out.setMeasuredMs(from.measured_ms);
  }

  void operator()(const cancel& from) { write(root.initCancel().initAttempt(), from.plan); }
};

std::optional<seam> read_seam(schema::Work::Seam::Reader in, field_check& fields) {
  switch (in.which()) {
    case schema::Work::Seam::PROFILE: return std::nullopt;
    case schema::Work::Seam::WANTED:
      return seam{.head_tokens = in.getWanted().getHeadTokens(),
                  .tail_tokens = in.getWanted().getTailTokens()};
    default: break;  // Of a newer build.
  }
  fields.demand(false, "work.seam", "is of a kind that this build does not know");
  return std::nullopt;
}

work read_work(schema::Work::Reader in, field_check& fields) {
  std::int64_t tokens_left = prompt_tokens_max;
  const auto read_segment = [&](schema::Segment::Reader one) {
    return segment{.tokens = ids_in(one.getTokens(), tokens_left, fields, "work.segments.tokens"),
                   .reusable = one.getReusable()};
  };
  const auto draw = in.getDraw();
  return {
      .scope = text_in(in.getScope(), scope_bytes_max, fields, "work.scope"),
      .segments = list_in(in.getSegments(), segments_max, fields, "work.segments", read_segment),
      .mode = from_wire(modes, in.getMode(), fields, "work.mode"),
      .wanted_seam = read_seam(in.getSeam(), fields),
      .draw = {.temperature = draw.getTemperature(),
               .top_k = draw.getTopK(),
               .top_p = draw.getTopP(),
               .seed = draw.getSeed()},
      .new_tokens_max = in.getNewTokensMax(),
      .wants_logprobs = in.getWantsLogprobs(),
      .deadline_ms = in.getDeadlineMs()};
}

source read_source(schema::Source::Reader in, field_check& fields) {
  source one{.segment = in.getSegment(),
             .key = {bits_in(in.getKey(), fields, "serve.sources.key")},
             .kind = source_kind::self,
             .worker = {}};
  const auto from = in.getFrom();
  switch (from.which()) {
    case schema::Source::From::SELF: return one;
    case schema::Source::From::PULL:
      one.kind = source_kind::pull;
      one.worker = read(from.getPull(), fields, "serve.sources.from.pull");
      return one;
    case schema::Source::From::COMING:
      one.kind = source_kind::coming;
      one.worker = read(from.getComing(), fields, "serve.sources.from.coming");
      return one;
    default: break;  // Of a newer build.
  }
  fields.demand(false, "serve.sources.from", "is of a kind that this build does not know");
  return one;
}

serve read_serve(schema::Serve::Reader in, field_check& fields) {
  std::int64_t told_left = prompt_tokens_max;
  return {.plan = read(in.getAttempt()),
          .gateway = read(in.getGateway(), fields, "serve.gateway"),
          .wanted = read_work(in.getWork(), fields),
          .sources = list_in(in.getSources(), segments_max, fields, "serve.sources",
                             [&](schema::Source::Reader one) { return read_source(one, fields); }),
          .told = ids_in(in.getTold(), told_left, fields, "serve.told")};
}

new_tokens read_tokens(schema::NewTokens::Reader in, field_check& fields) {
  std::int64_t ids_left = prompt_tokens_max;
  return {.plan = read(in.getAttempt()),
          .first_index = in.getFirstIndex(),
          .ids = ids_in(in.getIds(), ids_left, fields, "newTokens.ids"),
          .logprobs = list_in(in.getLogprobs(), prompt_tokens_max, fields, "newTokens.logprobs",
                              [](double logprob) { return logprob; })};
}

finished read_finished(schema::Finished::Reader in, field_check& fields) {
  return {.plan = read(in.getAttempt()),
          .ended = in.getEnded(),
          .receipts = list_in(in.getReceipts(), segments_max, fields, "finished.receipts",
                              [&](schema::Receipt::Reader one) { return read(one, fields); }),
          .prompt_tokens = in.getPromptTokens(),
          .reused_tokens = in.getReusedTokens(),
          .new_tokens = in.getNewTokens(),
          .times = read(in.getTimes())};
}

served read_served(schema::Served::Reader in, field_check& fields) {
  return {.plan = read(in.getAttempt()),
          .how = from_wire(outcomes, in.getOutcome(), fields, "served.outcome"),
          .prefilled_tokens = in.getPrefilledTokens(),
          .measured_ms = in.getMeasuredMs()};
}

refused read_refused(schema::Refused::Reader in, field_check& fields) {
  return {.request = read(in.getRequest()),
          .kind = read(in.getKind(), fields, "refused.kind"),
          .message = sentence_in(view_of(in.getMessage()), fields, "refused.message"),
          .retry_after_ms = in.getRetryAfterMs()};
}

failed read_failed(schema::Failed::Reader in, field_check& fields) {
  return {.plan = read(in.getAttempt()),
          .kind = read(in.getKind(), fields, "failed.kind"),
          .message = sentence_in(view_of(in.getMessage()), fields, "failed.message")};
}

message read_message(schema::Serving::Reader root, field_check& fields) {
  switch (root.which()) {
    case schema::Serving::GENERATE: {
      const auto in = root.getGenerate();
      return generate{.request = read(in.getRequest()), .wanted = read_work(in.getWork(), fields)};
    }
    case schema::Serving::ACCEPTED: {
      const auto in = root.getAccepted();
      return accepted{.plan = read(in.getAttempt()),
                      .worker = read(in.getWorker(), fields, "accepted.worker")};
    }
    case schema::Serving::REFUSED: return read_refused(root.getRefused(), fields);
    case schema::Serving::SERVE: return read_serve(root.getServe(), fields);
    case schema::Serving::NEW_TOKENS: return read_tokens(root.getNewTokens(), fields);
    case schema::Serving::FINISHED: return read_finished(root.getFinished(), fields);
    case schema::Serving::FAILED: return read_failed(root.getFailed(), fields);
    case schema::Serving::SERVED: return read_served(root.getServed(), fields);
    case schema::Serving::CANCEL: return cancel{.plan = read(root.getCancel().getAttempt())};
    default: break;  // Of a newer build.
  }
  fields.demand(false, "the message", "is of a kind that this build does not know");
  return {};
}

// Words of the lists that can be long: a first allocation that is large enough is the only one.
std::size_t words_of(const work& what) {
  std::size_t words = 4 * what.segments.size();
  for (const segment& part : what.segments) words += part.tokens.size() / 2;
  return words;
}

std::size_t words_of(const message& what) {
  if (const auto* order = std::get_if<serve>(&what))
    return words_of(order->wanted) + 16 * order->sources.size() + order->told.size() / 2;
  if (const auto* wish = std::get_if<generate>(&what)) return words_of(wish->wanted);
  if (const auto* end = std::get_if<finished>(&what)) return 16 * end->receipts.size();
  return 0;
}

}  // namespace

result<envelope> encode(const message& what) {
  const status fits = check(what);
  if (!fits.ok()) return fits.error();
  return pack<schema::Serving>(schema_id::serving, 128 + words_of(what),
                               [&](auto root) { std::visit(writer{root}, what); });
}

result<message> decode(const envelope& from) {
  return unpack<message, schema::Serving>(schema_id::serving, from, read_message);
}

}  // namespace weft::messages::serving
