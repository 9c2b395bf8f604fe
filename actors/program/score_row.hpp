// Which tokens of a scored prompt have a log-probability, and the row of them.
//
// A token has one when it and the token before it both ran in context. So the first token has none,
// and in a spliced mode neither have tokens inside entries (the lead's and each document's middle),
// nor the first after one; whether an entry was warm or cold makes no difference.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "actors/session/session.hpp"

namespace weft::actors {

struct score_row {
  struct mark {
    double log_probability = 0;
    token_id best = 0;  // The likeliest token at this place.
  };
  std::vector<std::optional<mark>> tokens;  // One per prompt token.
};

// `used`: the seam that the request was run with; `splices`: whether its mode makes entries.
score_row row_of(const answer& from, const seam& used, bool splices);

}  // namespace weft::actors
