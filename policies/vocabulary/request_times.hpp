// Where a request's time went.
#pragma once

namespace weft {

struct request_times {
  double queue_ms = 0;
  double plan_ms = 0;
  double prefill_ms = 0;      // Steps until the first new token (or the end of the prompt).
  double splice_ms = 0;       // The part of prefill_ms spent in jumps.
  double first_token_ms = 0;  // From start to the first new token.
  double total_ms = 0;

  friend bool operator==(const request_times&, const request_times&) = default;
};

}  // namespace weft
