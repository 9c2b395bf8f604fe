#include "policies/admission/admission.hpp"

namespace weft {
namespace {

cache_units sum(cache_units left, const cache_units& right) { return left += right; }

}  // namespace

admission admit(const admission_facts& facts) {
  // kept + most <= total, written so that a difference below zero cannot arise.
  const cache_units too_much = missing(sum(facts.kept, facts.most), facts.total);
  if (!too_much.none()) return {.verdict = admission_verdict::never, .lacking = too_much};
  const cache_units lacking =
      missing(sum(facts.needed, facts.promised), sum(facts.free, facts.evictable));
  if (!lacking.none()) return {.verdict = admission_verdict::wait, .lacking = lacking};
  return {};
}

bool can_spare(const cache_units& extra, const admission_facts& facts) {
  return missing(extra, facts.free).none() &&
         missing(sum(extra, facts.promised), sum(facts.free, facts.evictable)).none();
}

}  // namespace weft
