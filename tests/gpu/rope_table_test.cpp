#include "gpu/host/rope_table.hpp"

#include <cmath>

#include <catch2/catch.hpp>

namespace weft::gpu {

TEST_CASE("angles are position times inverse frequency, at any growth", "[gpu][rope_table]") {
  rope_table table(8, 10000);
  table.grow(3);
  table.grow(1000);
  table.grow(10);
  const rope_view view = table.view();
  for (const std::int64_t position : {0, 1, 2, 500, 999})
    for (std::int64_t i = 0; i < 4; ++i) {
      const double angle =
          static_cast<double>(position) * std::pow(10000.0, -2.0 * static_cast<double>(i) / 8.0);
      CHECK(double{view.cosines[position * 4 + i]} == Approx(std::cos(angle)).margin(1e-4));
      CHECK(double{view.sines[position * 4 + i]} == Approx(std::sin(angle)).margin(1e-4));
    }
}

TEST_CASE("two rotations add up across positions", "[gpu][rope_table]") {
  rope_table table(64, 1e7);
  table.grow(30001);
  const rope_view view = table.view();
  // R(m - p) meets R(j) as R(m) meets R(p + j): cos of the difference is the same to float
  // rounding.
  for (std::int64_t i = 0; i < 32; ++i) {
    const auto cosine_between = [&](std::int64_t a, std::int64_t b) {
      return double{view.cosines[a * 32 + i]} * double{view.cosines[b * 32 + i]} +
             double{view.sines[a * 32 + i]} * double{view.sines[b * 32 + i]};
    };
    CHECK(cosine_between(30000, 29000) == Approx(cosine_between(1200, 200)).margin(5e-7));
  }
}

}  // namespace weft::gpu
