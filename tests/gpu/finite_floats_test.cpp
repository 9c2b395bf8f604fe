#include "gpu/host/finite_floats.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <catch2/catch.hpp>

namespace weft::gpu {

TEST_CASE("one NaN or infinity is found at every place of every length", "[gpu][finite_floats]") {
  const float largest = std::numeric_limits<float>::max();
  const float smallest = std::numeric_limits<float>::denorm_min();
  for (std::size_t length = 0; length <= 40; ++length) {
    std::vector<float> values(length + 1, -largest);
    for (std::size_t i = 0; i < length; i += 3) values[i] = smallest;
    values[length] = std::nanf("");  // Behind the end: nobody's.
    const auto count = static_cast<std::int64_t>(length);
    CHECK(all_finite(values.data(), count));
    for (const float bad : {std::nanf(""), -std::nanf(""), INFINITY, -INFINITY})
      for (std::size_t i = 0; i < length; ++i) {
        const float before = values[i];
        values[i] = bad;
        CHECK_FALSE(all_finite(values.data(), count));
        values[i] = before;
      }
  }
}

}  // namespace weft::gpu
