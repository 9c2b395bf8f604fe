#include "gpu/reference/elementwise.hpp"

#include <cmath>

namespace weft::gpu::reference {

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }

double silu(double x) { return x * sigmoid(x); }

double softplus(double x) { return x > 20.0 ? x : std::log1p(std::exp(x)); }

void zero_centred_norm(std::span<double> x, std::span<const double> weight, double epsilon) {
  const double scale = 1.0 / std::sqrt(dot(x, x) / static_cast<double>(x.size()) + epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * scale * (1.0 + weight[i]);
}

matrix zero_centred_norm_rows(const matrix& x, const matrix& weight, double epsilon) {
  matrix normed = x;
  for (std::int64_t t = 0; t < x.rows(); ++t) {
    zero_centred_norm(normed.row(t), weight.values(), epsilon);
  }
  return normed;
}

void gated_norm(std::span<double> x, std::span<const double> weight, std::span<const double> gate,
                double epsilon) {
  const double scale = 1.0 / std::sqrt(dot(x, x) / static_cast<double>(x.size()) + epsilon);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = x[i] * scale * weight[i] * silu(gate[i]);
}

void unit_length(std::span<double> x) {
  constexpr double epsilon = 1e-6;
  const double scale = 1.0 / std::sqrt(dot(x, x) + epsilon);
  for (double& value : x) value *= scale;
}

void rotate(std::span<double> x, std::int64_t rotary_dim, double theta, std::int64_t position) {
  const std::int64_t half = rotary_dim / 2;
  for (std::int64_t i = 0; i < half; ++i) {
    const float exponent = static_cast<float>(2 * i) / static_cast<float>(rotary_dim);
    const float frequency = 1.0f / std::pow(static_cast<float>(theta), exponent);
    const double angle = static_cast<double>(position) * static_cast<double>(frequency);
    double& low = x[static_cast<std::size_t>(i)];
    double& high = x[static_cast<std::size_t>(i + half)];
    const double turned_low = low * std::cos(angle) - high * std::sin(angle);
    const double turned_high = high * std::cos(angle) + low * std::sin(angle);
    low = turned_low;
    high = turned_high;
  }
}

}  // namespace weft::gpu::reference
