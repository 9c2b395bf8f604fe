// Why a transfer did not go through: the reason that crosses the wire, that counters are kept by,
// and the sentence for people.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "policies/vocabulary/failure.hpp"

namespace weft::gpu::comm {

// Numbers are on the wire: they never move. New ones go to the end.
enum class refusal_reason : std::uint8_t {
  unknown_ticket = 0,  // never offered here, or forgotten since
  expired = 1,         // the offer's lease ran out
  withdrawn = 2,       // its owner took the offer back
  failed = 3,          // its owner could not make it
  wrong_transfer = 4,  // the ticket is another transfer's
  wrong_peer = 5,      // the offer is for another node
  busy = 6,            // too many connections or pulls at this moment
  cancelled = 7,       // the receiver no longer wants it
  malformed = 8,       // the other side broke the protocol
  damaged = 9,         // a checksum did not fit
  timed_out = 10,      // a deadline passed
  lost = 11,           // the connection ended
  not_admitted = 12,   // certificate, name or connection token did not do
};
inline constexpr std::size_t refusal_reasons = 13;

struct refusal {
  refusal_reason reason = refusal_reason::failed;
  std::string message;  // One sentence.
};

// As metrics spell it: "unknown_ticket".
std::string_view name_of(refusal_reason reason);

// The failure that a caller is told: its kind is the remedy.
failure to_failure(const refusal& why);

}  // namespace weft::gpu::comm
