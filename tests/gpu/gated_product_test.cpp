// silu(gate x) * up x against double arithmetic, and a row's bits alone and among many.
#include "gpu/host/gated_product.hpp"

#include <cmath>
#include <span>

#include <catch2/catch.hpp>

#include "tests/gpu/random_floats.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned seed = 53;

tensor_view view_of(const std::vector<float>& values, std::int64_t rows, std::int64_t depth) {
  return {.name = "weight",
          .type = element_type::float32,
          .dims = {rows, depth},
          .bytes = std::as_bytes(std::span(values))};
}

std::vector<float> run(const gated_product& product, const std::vector<float>& x,
                       std::int64_t rows) {
  std::vector<float> inner(static_cast<std::size_t>(rows * product.width()), std::nanf(""));
  for (std::int64_t part = product.part_count(rows); part-- > 0;)
    product.run_part(part, x.data(), inner.data(), rows);
  return inner;
}

double product_of(const std::vector<float>& weight, std::int64_t col, const float* x,
                  std::int64_t depth) {
  double sum = 0;
  for (std::int64_t k = 0; k < depth; ++k)
    sum += double{weight[static_cast<std::size_t>(col * depth + k)]} * double{x[k]};
  return sum;
}

}  // namespace

TEST_CASE("gate and up are joined in parts of any size", "[gpu][gated_product]") {
  constexpr std::int64_t depth = 40;
  testing::random_floats random(seed);
  for (const std::int64_t width : {1, 31, 32, 33, 70})
    for (const std::int64_t rows : {1, 2, 9, 256, 300}) {
      const auto gate = random.normal(width * depth);
      const auto up = random.normal(width * depth);
      const auto x = random.normal(rows * depth, 0.3);
      std::vector<double> expected;
      for (std::int64_t row = 0; row < rows; ++row)
        for (std::int64_t col = 0; col < width; ++col) {
          const double a = product_of(gate, col, x.data() + row * depth, depth);
          expected.push_back(a / (1 + std::exp(-a)) *
                             product_of(up, col, x.data() + row * depth, depth));
        }
      swiglu_weights weights;
      weights.gate = view_of(gate, width, depth);
      weights.up = view_of(up, width, depth);
      for (const instruction_set set : testing::runnable_instruction_sets())
        for (const weight_form form : {weight_form::in_place, weight_form::packed}) {
          INFO(name_of(set) << ", " << rows << " rows, width " << width << ", seed " << seed);
          const gated_product product(weights, form, kernels_of(set));
          REQUIRE(product.width() == width);
          const std::vector<float> inner = run(product, x, rows);
          CHECK(testing::relative_error(inner, expected) < 1e-5);
          const std::vector<float> last(x.end() - depth, x.end());
          CHECK(run(product, last, 1) == std::vector<float>(inner.end() - width, inner.end()));
        }
    }
}

}  // namespace weft::gpu
