// What workers and the router say, as bytes and back (schema: directory.capnp).
#pragma once

#include "messages/wire/directory.hpp"
#include "messages/wire/envelope.hpp"

namespace weft::messages::directory {

// `rejected` where `check` finds something, or where the bytes would be too many.
result<envelope> encode(const message& what);

// The message, which `check` accepts; else `rejected`, naming the field. No bytes do harm: nothing
// is thrown, and no more memory is taken than some tens of what the envelope holds.
result<message> decode(const envelope& from);

}  // namespace weft::messages::directory
