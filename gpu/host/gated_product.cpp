#include "gpu/host/gated_product.hpp"

#include <algorithm>
#include <array>

namespace weft::gpu {

gated_product::gated_product(const swiglu_weights& weights, weight_form form,
                             const kernel_table& kernels)
    : gate_up_({{weights.gate, weights.up}}, form, kernels), kernels_(&kernels) {}

// Both blocks have the same strips, so those of a tile stand half the strips apart.
void gated_product::run_part(std::int64_t part, const float* x, float* inner,
                             std::int64_t rows) const {
  constexpr std::int64_t strip_cols = matrix_product::strip_cols;
  constexpr std::int64_t part_rows = matrix_product::part_rows;
  constexpr std::int64_t tile_row = 2 * strip_cols;  // A row of gate, then a row of up.
  alignas(64) std::array<float, part_rows * tile_row> tile;
  const std::int64_t strips = (width() + strip_cols - 1) / strip_cols;
  const std::int64_t gate_part = part / strips * 2 * strips + part % strips;
  gate_up_.run_tile(gate_part, x, tile.data(), tile_row, rows);
  gate_up_.run_tile(gate_part + strips, x, tile.data() + strip_cols, tile_row, rows);

  const std::int64_t first_row = part / strips * part_rows;
  const std::int64_t here = std::min(part_rows, rows - first_row);
  const std::int64_t col = part % strips * strip_cols;
  const std::int64_t cols = std::min(strip_cols, width() - col);
  for (std::int64_t row = 0; row < here; ++row) {
    const float* gate = tile.data() + row * tile_row;
    kernels_->silu_multiply(gate, gate + strip_cols, inner + (first_row + row) * width() + col,
                            cols);
  }
}

}  // namespace weft::gpu
