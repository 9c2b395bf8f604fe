#include "gpu/reference/elementwise.hpp"

#include <cmath>

#include <catch2/catch.hpp>

namespace weft::gpu::reference {
namespace {

using row = std::vector<double>;

TEST_CASE("activations have their known values", "[gpu][elementwise]") {
  CHECK(sigmoid(0) == 0.5);
  CHECK(sigmoid(1000) == 1);
  CHECK(sigmoid(-1000) == 0);
  CHECK(silu(0) == 0);
  CHECK(silu(2) == Approx(1.7615941559557649).epsilon(1e-15));
  CHECK(softplus(0) == Approx(std::log(2.0)).epsilon(1e-15));
  CHECK(softplus(25) == 25);
  CHECK(softplus(-800) == 0);
}

TEST_CASE("a zero-centred norm uses one plus its weight", "[gpu][elementwise]") {
  row x = {3, 4};
  zero_centred_norm(x, row{0, 1}, 0);
  CHECK(x[0] == Approx(3 / std::sqrt(12.5)));
  CHECK(x[1] == Approx(8 / std::sqrt(12.5)));
}

TEST_CASE("a gated norm norms before its gate and uses its plain weight", "[gpu][elementwise]") {
  row x = {3, 4};
  gated_norm(x, row{1, 2}, row{0, 2}, 0);
  CHECK(x[0] == 0);
  CHECK(x[1] == Approx(8 / std::sqrt(12.5) * silu(2)));
}

TEST_CASE("a unit row has its epsilon inside the sum", "[gpu][elementwise]") {
  row x = {3, 4};
  unit_length(x);
  CHECK(x[0] == Approx(3 / std::sqrt(25 + 1e-6)).epsilon(1e-15));
  row zero = {0, 0};
  unit_length(zero);
  CHECK(zero[0] == 0);
}

TEST_CASE("rotation pairs halves, keeps lengths and leaves the rest", "[gpu][elementwise]") {
  row x = {1, 0, 0, 2, 9};
  rotate(x, 4, 100, 3);
  CHECK(x[0] == Approx(std::cos(3.0)));
  CHECK(x[2] == Approx(std::sin(3.0)));
  const double slow = 3.0 * static_cast<double>(0.1f);
  CHECK(x[1] == Approx(-2 * std::sin(slow)).epsilon(1e-6));
  CHECK(x[3] == Approx(2 * std::cos(slow)).epsilon(1e-6));
  CHECK(x[4] == 9);
}

TEST_CASE("only the distance of two rotated rows counts", "[gpu][elementwise]") {
  const row query = {0.3, -0.7, 0.2, 0.5};
  const row key = {-0.1, 0.4, 0.8, -0.6};
  const auto score = [&](std::int64_t query_at, std::int64_t key_at) {
    row q = query;
    row k = key;
    rotate(q, 4, 1e4, query_at);
    rotate(k, 4, 1e4, key_at);
    return dot(q, k);
  };
  CHECK(score(107, 100) == Approx(score(12, 5)).epsilon(1e-12));
  CHECK(score(107, 100) != Approx(score(12, 6)).epsilon(1e-3));
}

}  // namespace
}  // namespace weft::gpu::reference
