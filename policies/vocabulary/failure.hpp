// What went wrong, sorted by what the caller should do about it, in one sentence.
//
// A failure is a value. It is made where the trouble is found, travels in a `result`, and is
// printed or sent once, where it is handled.
#pragma once

#include <string>
#include <string_view>

namespace weft {

// The remedy, not the place: a reader of a log should know what to do next.
enum class failure_kind {
  rejected,     // the caller must change the request (bad input, can never fit)
  overloaded,   // back off and try again (does not fit now)
  unavailable,  // try elsewhere or later (a file or a peer that is not there)
  cancelled,    // nobody waits for the answer any more
  broken,       // replace this part (an invariant or a device gave way)
};

constexpr std::string_view name_of(failure_kind kind) {
  switch (kind) {
    case failure_kind::rejected: return "rejected";
    case failure_kind::overloaded: return "overloaded";
    case failure_kind::unavailable: return "unavailable";
    case failure_kind::cancelled: return "cancelled";
    case failure_kind::broken: return "broken";
  }
  return "broken";
}

struct failure {
  failure_kind kind = failure_kind::broken;
  std::string message;  // One sentence that names the culprit and, where there is one, the remedy.
};

inline failure rejected(std::string message) {
  return {failure_kind::rejected, std::move(message)};
}
inline failure unavailable(std::string message) {
  return {failure_kind::unavailable, std::move(message)};
}
inline failure overloaded(std::string message) {
  return {failure_kind::overloaded, std::move(message)};
}
inline failure broken(std::string message) { return {failure_kind::broken, std::move(message)}; }

}  // namespace weft
