#include "gpu/reference/matrix.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu::reference {

matrix::matrix(std::int64_t rows, std::int64_t columns)
    : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows * columns), 0.0) {}

double& matrix::at(std::int64_t row, std::int64_t column) {
  return values_[static_cast<std::size_t>(row * columns_ + column)];
}

double matrix::at(std::int64_t row, std::int64_t column) const {
  return values_[static_cast<std::size_t>(row * columns_ + column)];
}

std::span<double> matrix::row(std::int64_t index) {
  return {values_.data() + index * columns_, static_cast<std::size_t>(columns_)};
}

std::span<const double> matrix::row(std::int64_t index) const {
  return {values_.data() + index * columns_, static_cast<std::size_t>(columns_)};
}

void matrix::append_row(std::span<const double> values) {
  if (rows_ == 0) columns_ = static_cast<std::int64_t>(values.size());
  WEFT_ASSERT(static_cast<std::int64_t>(values.size()) == columns_);
  values_.insert(values_.end(), values.begin(), values.end());
  ++rows_;
}

matrix identity(std::int64_t size) {
  matrix result(size, size);
  for (std::int64_t i = 0; i < size; ++i) result.at(i, i) = 1;
  return result;
}

matrix sum(const matrix& a, const matrix& b) {
  WEFT_ASSERT(a.rows() == b.rows() && a.columns() == b.columns());
  matrix result(a.rows(), a.columns());
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    for (std::int64_t j = 0; j < a.columns(); ++j) result.at(i, j) = a.at(i, j) + b.at(i, j);
  }
  return result;
}

matrix product(const matrix& a, const matrix& b) {
  WEFT_ASSERT(a.columns() == b.rows());
  matrix result(a.rows(), b.columns());
  for (std::int64_t i = 0; i < a.rows(); ++i) {
    const std::span<double> out = result.row(i);
    for (std::int64_t k = 0; k < a.columns(); ++k) {
      const double factor = a.at(i, k);
      const std::span<const double> from = b.row(k);
      for (std::size_t j = 0; j < out.size(); ++j) out[j] += factor * from[j];
    }
  }
  return result;
}

matrix linear(const matrix& x, const matrix& weight) {
  WEFT_ASSERT(x.columns() == weight.columns());
  // Eight rows of x, side by side, meet each row of weights together: eight sums are in flight and
  // a weight is read once for all of them. Rows beyond the last are zeros.
  constexpr std::int64_t group = 8;
  const std::int64_t inner = x.columns();
  matrix y(x.rows(), weight.rows());
  for (std::int64_t first = 0; first < x.rows(); first += group) {
    const std::int64_t count = std::min(group, x.rows() - first);
    std::vector<double> side_by_side(static_cast<std::size_t>(inner * group), 0.0);
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t k = 0; k < inner; ++k) {
        side_by_side[static_cast<std::size_t>(k * group + i)] = x.at(first + i, k);
      }
    }
    for (std::int64_t o = 0; o < weight.rows(); ++o) {
      const double* w = weight.row(o).data();
      double sums[group] = {};
      for (std::int64_t k = 0; k < inner; ++k) {
        const double* column = side_by_side.data() + k * group;
        for (std::int64_t i = 0; i < group; ++i) sums[i] += column[i] * w[k];
      }
      for (std::int64_t i = 0; i < count; ++i) y.at(first + i, o) = sums[i];
    }
  }
  return y;
}

double dot(std::span<const double> a, std::span<const double> b) {
  WEFT_ASSERT(a.size() == b.size());
  double total = 0;
  for (std::size_t i = 0; i < a.size(); ++i) total += a[i] * b[i];
  return total;
}

double norm_of(const matrix& a) { return std::sqrt(dot(a.values(), a.values())); }

double relative_error(const matrix& a, const matrix& b) {
  WEFT_ASSERT(a.rows() == b.rows() && a.columns() == b.columns());
  double squares = 0;
  for (std::size_t i = 0; i < a.values().size(); ++i) {
    const double difference = a.values()[i] - b.values()[i];
    squares += difference * difference;
  }
  if (squares == 0) return 0;
  const double scale = norm_of(b);
  return scale > 0 ? std::sqrt(squares) / scale : std::numeric_limits<double>::infinity();
}

}  // namespace weft::gpu::reference
