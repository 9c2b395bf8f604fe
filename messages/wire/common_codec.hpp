// Into common.capnp's structs and back: what the codecs of several conversations share. Readers
// name `field` in what they find amiss, and leave what a value must mean to `check`.
#pragma once

#include <string>
#include <string_view>

#include "messages/prompt/key.hpp"
#include "messages/wire/common.capnp.h"
#include "messages/wire/field_check.hpp"
#include "policies/eviction/cache_units.hpp"
#include "policies/vocabulary/attempt.hpp"
#include "policies/vocabulary/endpoint.hpp"
#include "policies/vocabulary/failure.hpp"
#include "policies/vocabulary/node_life.hpp"

namespace weft::messages {

void write(schema::NodeLife::Builder out, const node_life& from);
void write(schema::Endpoint::Builder out, const endpoint& from);
void write(schema::RequestId::Builder out, const request_id& from);
void write(schema::Attempt::Builder out, const attempt& from);
void write(schema::CacheUnits::Builder out, const cache_units& from);

node_life read(schema::NodeLife::Reader in, field_check& fields, std::string_view field);
endpoint read(schema::Endpoint::Reader in, field_check& fields, std::string_view field);
request_id read(schema::RequestId::Reader in);
attempt read(schema::Attempt::Reader in);
cache_units read(schema::CacheUnits::Reader in);

schema::EntryKind wire_of(key_kind kind);
schema::FailureKind wire_of(failure_kind kind);
key_kind read(schema::EntryKind kind, field_check& fields, std::string_view field);
failure_kind read(schema::FailureKind kind, field_check& fields, std::string_view field);

// A failure's message, repaired and cut so that it can be sent.
std::string sendable(std::string_view sentence);
// A failure's message as it came; what is not UTF-8 of a sendable length is a breach.
std::string sentence_in(std::string_view sentence, field_check& fields, std::string_view field);

}  // namespace weft::messages
