#include "gpu/host/rope_table.hpp"

#include <algorithm>
#include <cmath>

namespace weft::gpu {

rope_table::rope_table(std::int64_t rotary_dim, double theta) : rotary_dim_(rotary_dim) {
  for (std::int64_t i = 0; i < rotary_dim / 2; ++i) {
    const auto exponent = static_cast<float>(2 * i) / static_cast<float>(rotary_dim);
    const auto power = static_cast<float>(std::pow(theta, static_cast<double>(exponent)));
    frequencies_.push_back(1.0F / power);
  }
}

void rope_table::grow(std::int64_t positions) {
  if (positions <= positions_) return;
  // By half again, so that decoding token by token grows rarely.
  positions = std::max(positions, positions_ + positions_ / 2);
  cosines_.reserve(static_cast<std::size_t>(positions) * frequencies_.size());
  sines_.reserve(static_cast<std::size_t>(positions) * frequencies_.size());
  for (; positions_ < positions; ++positions_)
    for (const float frequency : frequencies_) {
      const double angle = static_cast<double>(positions_) * static_cast<double>(frequency);
      cosines_.push_back(static_cast<float>(std::cos(angle)));
      sines_.push_back(static_cast<float>(std::sin(angle)));
    }
}

}  // namespace weft::gpu
