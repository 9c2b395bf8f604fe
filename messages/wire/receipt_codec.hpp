// Receipts and times of a finished request into serving.capnp's structs and back.
#pragma once

#include "messages/wire/field_check.hpp"
#include "messages/wire/serving.capnp.h"
#include "policies/vocabulary/receipt.hpp"
#include "policies/vocabulary/request_times.hpp"

namespace weft::messages {

void write(schema::Receipt::Builder out, const receipt& from);
void write(schema::Times::Builder out, const request_times& from);

receipt read(schema::Receipt::Reader in, field_check& fields);
request_times read(schema::Times::Reader in);

}  // namespace weft::messages
