// A row-major matrix of doubles and the few products that the reference needs, as plain loops.
//
// Part of the judge: written to be read, not to be fast.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::gpu::reference {

class matrix {
 public:
  matrix() = default;
  matrix(std::int64_t rows, std::int64_t columns);  // Zeros.

  std::int64_t rows() const { return rows_; }
  std::int64_t columns() const { return columns_; }
  double& at(std::int64_t row, std::int64_t column);
  double at(std::int64_t row, std::int64_t column) const;
  std::span<double> row(std::int64_t index);
  std::span<const double> row(std::int64_t index) const;
  std::span<const double> values() const { return values_; }

  // Adds a row at the end. The first row of an empty matrix decides its columns.
  void append_row(std::span<const double> values);

 private:
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  std::vector<double> values_;
};

matrix identity(std::int64_t size);
matrix sum(const matrix& a, const matrix& b);      // a + b
matrix product(const matrix& a, const matrix& b);  // a b

// y[t, o] = sum_i x[t, i] weight[o, i]: a linear layer without bias, x W^T.
matrix linear(const matrix& x, const matrix& weight);

// sqrt(sum of squares) of all values together.
double norm_of(const matrix& a);
double dot(std::span<const double> a, std::span<const double> b);

// |a - b| / |b| over the whole matrix, never row by row. 0 where both are zero.
double relative_error(const matrix& a, const matrix& b);

}  // namespace weft::gpu::reference
