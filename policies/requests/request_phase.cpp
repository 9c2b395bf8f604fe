#include "policies/requests/request_phase.hpp"

namespace weft {

std::string_view name_of(request_phase phase) {
  switch (phase) {
    case request_phase::waiting: return "waiting";
    case request_phase::planned: return "planned";
    case request_phase::prefilling: return "prefilling";
    case request_phase::splicing: return "splicing";
    case request_phase::streaming: return "streaming";
  }
  return "waiting";
}

std::string_view name_of(request_end_kind kind) {
  switch (kind) {
    case request_end_kind::done: return "done";
    case request_end_kind::failed: return "failed";
    case request_end_kind::cancelled: return "cancelled";
    case request_end_kind::expired: return "expired";
    case request_end_kind::abandoned: return "abandoned";
  }
  return "failed";
}

}  // namespace weft
