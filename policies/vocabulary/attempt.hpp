// One plan to serve one request: what every message that belongs to a request carries. Attempts of
// one request are ordered by generation; the newest is the one that counts.
#pragma once

#include <compare>

#include "policies/vocabulary/generation.hpp"
#include "policies/vocabulary/request_id.hpp"

namespace weft {

struct attempt {
  request_id request;
  weft::generation generation;

  friend auto operator<=>(const attempt&, const attempt&) = default;
};

}  // namespace weft
