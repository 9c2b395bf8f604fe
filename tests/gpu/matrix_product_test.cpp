#include "gpu/host/matrix_product.hpp"

#include <catch2/catch.hpp>

#include "tests/gpu/random_floats.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned seed = 31;

std::vector<float> multiply(const matrix_product& product, const std::vector<float>& x,
                            std::int64_t prefill, std::int64_t decode, int threads) {
  thread_pool pool(threads);
  std::vector<float> padded = x;
  padded.resize(
      x.size() + static_cast<std::size_t>(matrix_product::tile_rows_max * product.depth()),
      std::nanf(""));
  std::vector<float> y(static_cast<std::size_t>((prefill + decode) * product.cols()));
  product.run(padded.data(), y.data(), prefill, decode, pool);
  return y;
}

}  // namespace

TEST_CASE("a product is right for rows of both classes, odd sizes too", "[gpu][matrix_product]") {
  const auto settled = settle_instruction_set(instruction_set::automatic);
  REQUIRE(settled.ok());
  testing::random_floats random(seed);
  for (const auto& [cols, depth] :
       {std::pair<std::int64_t, std::int64_t>{3, 5}, {130, 64}, {515, 77}, {1024, 256}}) {
    INFO(cols << " x " << depth << ", seed " << seed);
    const auto weight = random.normal(cols * depth);
    const matrix_product product(weight, cols, depth, kernels_of(*settled));
    const std::int64_t prefill = 70;
    const std::int64_t decode = 3;
    const auto x = random.normal((prefill + decode) * depth);
    const auto y = multiply(product, x, prefill, decode, 2);
    std::vector<double> expected;
    for (std::int64_t row = 0; row < prefill + decode; ++row)
      for (std::int64_t col = 0; col < cols; ++col) {
        double sum = 0;
        for (std::int64_t k = 0; k < depth; ++k)
          sum += double{x[static_cast<std::size_t>(row * depth + k)]} *
                 double{weight[static_cast<std::size_t>(col * depth + k)]};
        expected.push_back(sum);
      }
    CHECK(testing::relative_error(y, expected) < 1e-6);
  }
}

TEST_CASE("parts in any order give what one run gives", "[gpu][matrix_product]") {
  const auto settled = settle_instruction_set(instruction_set::automatic);
  REQUIRE(settled.ok());
  testing::random_floats random(seed);
  constexpr std::int64_t cols = 700;
  constexpr std::int64_t depth = 96;
  const matrix_product product(random.normal(cols * depth), cols, depth, kernels_of(*settled));
  for (const auto& [prefill, decode] :
       {std::pair<std::int64_t, std::int64_t>{70, 3}, {64, 0}, {0, 2}, {1, 0}}) {
    const auto x = random.normal((prefill + decode) * depth);
    std::vector<float> y(static_cast<std::size_t>((prefill + decode) * cols), std::nanf(""));
    const std::int64_t parts = product.part_count(prefill, decode);
    CHECK(parts >= (decode > 0 ? 11 : 2));
    for (std::int64_t part = parts - 1; part >= 0; --part)
      product.run_part(part, x.data(), y.data(), prefill, decode);
    CHECK(y == multiply(product, x, prefill, decode, 2));
  }
  CHECK(product.part_count(0, 0) == 0);
}

TEST_CASE("a row's bits depend on the row and its class alone", "[gpu][matrix_product]") {
  const auto settled = settle_instruction_set(instruction_set::automatic);
  REQUIRE(settled.ok());
  testing::random_floats random(seed);
  constexpr std::int64_t cols = 700;
  constexpr std::int64_t depth = 256;
  const matrix_product product(random.normal(cols * depth), cols, depth, kernels_of(*settled));
  const auto x = random.normal(200 * depth);
  const auto prefill = multiply(product, x, 200, 0, 1);
  CHECK(multiply(product, x, 200, 0, 2) == prefill);
  CHECK(multiply(product, x, 200, 0, 4) == prefill);
  const auto decode = multiply(product, x, 0, 200, 2);
  for (const std::int64_t row : {0, 1, 63, 64, 100, 199}) {
    const std::vector<float> one(x.begin() + row * depth, x.begin() + (row + 1) * depth);
    const auto expect_row = [&](const std::vector<float>& alone, const std::vector<float>& all) {
      CHECK(std::equal(alone.begin(), alone.end(), all.begin() + row * cols));
    };
    expect_row(multiply(product, one, 1, 0, 2), prefill);
    expect_row(multiply(product, one, 0, 1, 2), decode);
  }
}

}  // namespace weft::gpu
