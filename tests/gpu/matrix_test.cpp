#include "gpu/reference/matrix.hpp"

#include <cmath>

#include <catch2/catch.hpp>

namespace weft::gpu::reference {
namespace {

matrix counting(std::int64_t rows, std::int64_t columns, double first) {
  matrix m(rows, columns);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      m.at(i, j) = std::sin(first + static_cast<double>(i * columns + j));
    }
  }
  return m;
}

TEST_CASE("a linear layer is the product with the transposed weight", "[gpu][matrix]") {
  for (const std::int64_t rows : {1, 7, 8, 9, 17}) {
    const matrix x = counting(rows, 5, 0.3);
    const matrix weight = counting(3, 5, 0.9);
    matrix transposed(5, 3);
    for (std::int64_t i = 0; i < 3; ++i) {
      for (std::int64_t j = 0; j < 5; ++j) transposed.at(j, i) = weight.at(i, j);
    }
    CHECK(relative_error(linear(x, weight), product(x, transposed)) < 1e-15);
  }
}

TEST_CASE("a product with the identity changes nothing", "[gpu][matrix]") {
  const matrix a = counting(4, 4, 0.1);
  CHECK(relative_error(product(identity(4), a), a) == 0);
  CHECK(relative_error(product(a, identity(4)), a) == 0);
}

TEST_CASE("the error is of the whole matrix", "[gpu][matrix]") {
  matrix a(1, 2);
  matrix b(1, 2);
  a.at(0, 0) = 3;
  b.at(0, 0) = 3;
  a.at(0, 1) = 4;
  CHECK(relative_error(a, b) == Approx(4.0 / 3));
  CHECK(relative_error(b, a) == Approx(0.8));
  CHECK(norm_of(a) == 5);
  CHECK(relative_error(matrix(2, 2), matrix(2, 2)) == 0);
  CHECK(std::isinf(relative_error(a, matrix(1, 2))));
}

TEST_CASE("rows join at the end", "[gpu][matrix]") {
  matrix a;
  a.append_row(std::vector<double>{1, 2});
  a.append_row(std::vector<double>{3, 4});
  CHECK(a.rows() == 2);
  CHECK(a.columns() == 2);
  CHECK(a.at(1, 0) == 3);
  CHECK(sum(a, a).at(1, 1) == 8);
}

}  // namespace
}  // namespace weft::gpu::reference
