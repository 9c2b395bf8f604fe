#include "policies/vocabulary/receipt.hpp"

namespace weft {

std::string_view name_of(segment_role role) {
  switch (role) {
    case segment_role::lead: return "lead";
    case segment_role::document: return "document";
    case segment_role::question: return "question";
  }
  return "document";
}

std::string_view name_of(verdict what) {
  switch (what) {
    case verdict::warm: return "warm";
    case verdict::cold: return "cold";
    case verdict::context: return "context";
  }
  return "context";
}

std::string_view name_of(verdict_reason reason) {
  switch (reason) {
    case verdict_reason::new_segment: return "new";
    case verdict_reason::evicted: return "evicted";
    case verdict_reason::other_scope: return "other scope";
    case verdict_reason::numerics: return "numerics";
    case verdict_reason::invalid: return "invalid";
    case verdict_reason::lost: return "lost";
    case verdict_reason::question: return "question";
    case verdict_reason::seam_only: return "seam only";
    case verdict_reason::not_reusable: return "not reusable";
    case verdict_reason::mode: return "mode";
  }
  return "mode";
}

}  // namespace weft
