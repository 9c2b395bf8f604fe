#include "gpu/comm/refusal.hpp"

namespace weft::gpu::comm {

std::string_view name_of(refusal_reason reason) {
  switch (reason) {
    case refusal_reason::unknown_ticket: return "unknown_ticket";
    case refusal_reason::expired: return "expired";
    case refusal_reason::withdrawn: return "withdrawn";
    case refusal_reason::failed: return "failed";
    case refusal_reason::wrong_transfer: return "wrong_transfer";
    case refusal_reason::wrong_peer: return "wrong_peer";
    case refusal_reason::busy: return "busy";
    case refusal_reason::cancelled: return "cancelled";
    case refusal_reason::malformed: return "malformed";
    case refusal_reason::damaged: return "damaged";
    case refusal_reason::timed_out: return "timed_out";
    case refusal_reason::lost: return "lost";
    case refusal_reason::not_admitted: return "not_admitted";
  }
  return "failed";
}

failure to_failure(const refusal& why) {
  switch (why.reason) {
    case refusal_reason::wrong_transfer:
    case refusal_reason::wrong_peer:
    case refusal_reason::not_admitted: return {failure_kind::rejected, why.message};
    case refusal_reason::busy: return {failure_kind::overloaded, why.message};
    case refusal_reason::cancelled: return {failure_kind::cancelled, why.message};
    case refusal_reason::malformed: return {failure_kind::broken, why.message};
    default: return {failure_kind::unavailable, why.message};
  }
}

}  // namespace weft::gpu::comm
