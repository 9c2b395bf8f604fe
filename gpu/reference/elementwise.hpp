// The small functions between the products: activations and norms, in double.
#pragma once

#include <span>

#include "gpu/reference/matrix.hpp"

namespace weft::gpu::reference {

double sigmoid(double x);
double silu(double x);      // x sigmoid(x)
double softplus(double x);  // log(1 + e^x); x itself above 20, as the public implementation has it

// x / sqrt(mean(x^2) + epsilon) * (1 + weight), in place.
void zero_centred_norm(std::span<double> x, std::span<const double> weight, double epsilon);

// The same for every row of `x`.
matrix zero_centred_norm_rows(const matrix& x, const matrix& weight, double epsilon);

// x / sqrt(mean(x^2) + epsilon) * weight * silu(gate), in place: norm before gate, plain weight.
void gated_norm(std::span<double> x, std::span<const double> weight, std::span<const double> gate,
                double epsilon);

// x / sqrt(sum(x^2) + 1e-6), in place: epsilon inside the sum.
void unit_length(std::span<double> x);

// Rotary embedding of the first `rotary_dim` dimensions of `x` to `position`, in place: pairs
// (i, i + rotary_dim / 2) turn by position * theta^(-2i / rotary_dim). The frequencies are rounded
// to float32 as the public implementation does; the angle is a double.
void rotate(std::span<double> x, std::int64_t rotary_dim, double theta, std::int64_t position);

}  // namespace weft::gpu::reference
