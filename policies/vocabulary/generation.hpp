// Which plan of a request a message belongs to. The router raises it whenever it plans a request
// anew; everybody drops what belongs to an older one.
#pragma once

#include <compare>
#include <cstdint>

namespace weft {

struct generation {
  std::uint32_t number = 0;  // From 1; 0: before the first plan.

  generation next() const { return {number + 1}; }

  friend auto operator<=>(const generation&, const generation&) = default;
};

}  // namespace weft
