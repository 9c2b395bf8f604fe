#include "gpu/reference/widen.hpp"

#include <algorithm>

namespace weft::gpu::reference {

matrix widen(const tensor_view& tensor) {
  const std::int64_t rows = tensor.dims.size() < 2 ? 1 : tensor.dims.front();
  const std::int64_t columns = tensor.elements() / rows;
  matrix wide(rows, columns);
  std::vector<float> narrow(static_cast<std::size_t>(columns));
  for (std::int64_t i = 0; i < rows; ++i) {
    to_float32(tensor, i * columns, narrow);
    std::copy(narrow.begin(), narrow.end(), wide.row(i).begin());
  }
  return wide;
}

matrix widen(const stacked_view& stack) {
  matrix wide;
  for (const tensor_view& block : stack.blocks) {
    const matrix rows = widen(block);
    for (std::int64_t i = 0; i < rows.rows(); ++i) wide.append_row(rows.row(i));
  }
  return wide;
}

}  // namespace weft::gpu::reference
