#include "gpu/reference/affine.hpp"

#include <catch2/catch.hpp>

namespace weft::gpu::reference {
namespace {

matrix square(double a, double b, double c, double d) {
  matrix m(2, 2);
  m.at(0, 0) = a;
  m.at(0, 1) = b;
  m.at(1, 0) = c;
  m.at(1, 1) = d;
  return m;
}

TEST_CASE("the later map acts on what the earlier one left", "[gpu][affine]") {
  const affine earlier = {square(1, 2, 3, 4), square(1, 0, 0, 1)};
  const affine later = {square(0, 1, 1, 0), square(5, 6, 7, 8)};
  const affine both = compose(later, earlier);
  CHECK(relative_error(both.transition, square(3, 4, 1, 2)) == 0);
  CHECK(relative_error(both.offset, square(5, 7, 8, 8)) == 0);
  const matrix state = square(1, 1, 2, 0);
  CHECK(relative_error(apply(both, state), apply(later, apply(earlier, state))) == 0);
  CHECK(relative_error(apply(compose(earlier, later), state), apply(both, state)) > 0.1);
}

TEST_CASE("the map of no tokens changes nothing", "[gpu][affine]") {
  const affine some = {square(1, 2, 3, 4), square(5, 6, 7, 8)};
  const affine none = identity_map(2, 2);
  CHECK(relative_error(compose(none, some).offset, some.offset) == 0);
  CHECK(relative_error(compose(some, none).transition, some.transition) == 0);
}

}  // namespace
}  // namespace weft::gpu::reference
