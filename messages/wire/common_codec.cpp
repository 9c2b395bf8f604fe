#include "messages/wire/common_codec.hpp"

#include "messages/prompt/utf8.hpp"
#include "messages/wire/bounds.hpp"
#include "messages/wire/codec_border.hpp"

namespace weft::messages {

namespace {

using kind_row = enumerant<schema::EntryKind, key_kind>;
constexpr std::array entry_kinds = {kind_row{schema::EntryKind::SPLICE, key_kind::entry},
                                    kind_row{schema::EntryKind::CHECKPOINT, key_kind::checkpoint}};

using failure_row = enumerant<schema::FailureKind, failure_kind>;
constexpr std::array failure_kinds = {
    failure_row{schema::FailureKind::REJECTED, failure_kind::rejected},
    failure_row{schema::FailureKind::OVERLOADED, failure_kind::overloaded},
    failure_row{schema::FailureKind::UNAVAILABLE, failure_kind::unavailable},
    failure_row{schema::FailureKind::CANCELLED, failure_kind::cancelled},
    failure_row{schema::FailureKind::BROKEN, failure_kind::broken}};

}  // namespace

void write(schema::NodeLife::Builder out, const node_life& from) {
  out.setNode(text_out(from.node.text));
  out.setLife(from.life.bits);
}

void write(schema::Endpoint::Builder out, const endpoint& from) {
  out.setHost(text_out(from.host));
  out.setPort(from.port);
}

void write(schema::RequestId::Builder out, const request_id& from) {
  out.setGateway(from.gateway.bits);
  out.setNumber(from.number);
}

void write(schema::Attempt::Builder out, const attempt& from) {
  write(out.initRequest(), from.request);
  out.setGeneration(from.generation.number);
}

void write(schema::CacheUnits::Builder out, const cache_units& from) {
  out.setPages(static_cast<std::uint32_t>(from.pages));
  out.setStateSlots(static_cast<std::uint32_t>(from.state_slots));
  out.setTransitionSlots(static_cast<std::uint32_t>(from.transition_slots));
}

node_life read(schema::NodeLife::Reader in, field_check& fields, std::string_view field) {
  return {.node = {text_in(in.getNode(), node_name_bytes_max, fields, field)},
          .life = {in.getLife()}};
}

endpoint read(schema::Endpoint::Reader in, field_check& fields, std::string_view field) {
  return {.host = text_in(in.getHost(), host_bytes_max, fields, field), .port = in.getPort()};
}

request_id read(schema::RequestId::Reader in) {
  return {.gateway = {in.getGateway()}, .number = in.getNumber()};
}

attempt read(schema::Attempt::Reader in) {
  return {.request = read(in.getRequest()), .generation = {in.getGeneration()}};
}

cache_units read(schema::CacheUnits::Reader in) {
  return {.pages = in.getPages(),
          .state_slots = in.getStateSlots(),
          .transition_slots = in.getTransitionSlots()};
}

schema::EntryKind wire_of(key_kind kind) { return to_wire(entry_kinds, kind); }
schema::FailureKind wire_of(failure_kind kind) { return to_wire(failure_kinds, kind); }

key_kind read(schema::EntryKind kind, field_check& fields, std::string_view field) {
  return from_wire(entry_kinds, kind, fields, field);
}

failure_kind read(schema::FailureKind kind, field_check& fields, std::string_view field) {
  return from_wire(failure_kinds, kind, fields, field);
}

std::string sendable(std::string_view sentence) {
  std::string text;
  append_repaired(text, sentence.substr(0, sentence_bytes_max));
  // Repairing a byte can make three of it.
  text.resize(complete_utf8(std::string_view(text).substr(0, sentence_bytes_max)));
  return text;
}

std::string sentence_in(std::string_view sentence, field_check& fields, std::string_view field) {
  return fields.text(sentence, sentence_bytes_max, field) ? std::string(sentence) : std::string();
}

}  // namespace weft::messages
