// Messages that cross nodes: any bytes are a message of their conversation, or a failure.
//
// The input's first 8 bytes are the conversation's number (two bytes, little-endian, and six that
// do not matter), the rest is the message.
#include <variant>

#include "messages/wire/bounds.hpp"
#include "messages/wire/directory_codec.hpp"
#include "messages/wire/envelope.hpp"
#include "messages/wire/membership_codec.hpp"
#include "messages/wire/prefill_codec.hpp"
#include "messages/wire/serving_codec.hpp"
#include "policies/vocabulary/assert.hpp"
#include "tests/fuzz/input.hpp"

namespace weft::messages {
namespace {

// A message that is read can be sent, in fewer bytes than the bound, and reads as itself.
template <class Message>
void check(const result<Message>& read, result<Message> (&decode_again)(const envelope&)) {
  if (!read.ok()) {
    WEFT_ASSERT(read.error().kind == failure_kind::rejected);
    WEFT_ASSERT(!read.error().message.empty());
    return;
  }
  const result<envelope> packed = encode(*read);
  // Aliased lists can be read within a bound that they break once they are written out.
  if (!packed.ok()) {
    WEFT_ASSERT(packed.error().kind == failure_kind::rejected);
    return;
  }
  WEFT_ASSERT(packed->bytes().size() <= envelope_bytes_max);
  const result<Message> again = decode_again(*packed);
  WEFT_ASSERT(again.ok());
  WEFT_ASSERT(*again == *read);
}

void read(const envelope& packed) {
  switch (packed.schema()) {
    case schema_id::membership: return check(membership::decode(packed), membership::decode);
    case schema_id::directory: return check(directory::decode(packed), directory::decode);
    case schema_id::serving: return check(serving::decode(packed), serving::decode);
    case schema_id::prefill: return check(prefill::decode(packed), prefill::decode);
    case schema_id::none: return;
  }
}

}  // namespace
}  // namespace weft::messages

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace weft::messages;
  constexpr std::size_t head_bytes = 8;
  if (size < head_bytes) return 0;
  const auto schema = parse_schema_id(static_cast<std::uint16_t>(data[0] | data[1] << 8));
  if (!schema.ok()) return 0;
  const auto bytes = weft::fuzz::bytes_of(data, size).subspan(head_bytes);
  const auto packed = envelope::copy(*schema, bytes);
  if (packed.ok()) read(*packed);
  return 0;
}
