#include "gpu/host/matrix_product.hpp"

#include <bit>
#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "gpu/host/weights.hpp"
#include "tests/gpu/random_floats.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned seed = 31;

// A weight of one element type, in memory as a file would have it, one byte off any alignment.
class stored_weight {
 public:
  stored_weight(const std::vector<float>& values, std::int64_t rows, std::int64_t depth,
                element_type type)
      : rows_(rows), depth_(depth), type_(type) {
    bytes_.resize(1 + values.size() * static_cast<std::size_t>(bytes_of(type)));
    std::byte* at = bytes_.data() + 1;
    for (const float value : values) {
      const auto bits = std::bit_cast<std::uint32_t>(value);
      if (type == element_type::float32) std::memcpy(at, &bits, 4);
      const auto half = static_cast<std::uint16_t>(bits >> 16);
      if (type == element_type::bfloat16) std::memcpy(at, &half, 2);
      // 0.5, 1, or 2 by the value's sign and size: what float16 can write without a conversion.
      const std::uint16_t tiny = value < 0 ? 0xb800 : value > 1 ? 0x4000 : 0x3c00;
      if (type == element_type::float16) std::memcpy(at, &tiny, 2);
      at += bytes_of(type);
    }
  }

  tensor_view view() const {
    return {.name = "weight",
            .type = type_,
            .dims = {rows_, depth_},
            .bytes = std::span(bytes_).subspan(1)};
  }

 private:
  std::int64_t rows_;
  std::int64_t depth_;
  element_type type_;
  std::vector<std::byte> bytes_;
};

std::vector<float> multiply(const matrix_product& product, const std::vector<float>& x,
                            std::int64_t prefill, std::int64_t decode, int threads) {
  thread_pool pool(threads);
  std::vector<float> y(static_cast<std::size_t>((prefill + decode) * product.cols()));
  product.run(x.data(), y.data(), prefill, decode, pool);
  return y;
}

std::vector<double> expected_of(const std::vector<float>& x, const std::vector<float>& weight,
                                std::int64_t rows, std::int64_t cols, std::int64_t depth) {
  std::vector<double> expected;
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t col = 0; col < cols; ++col) {
      double sum = 0;
      for (std::int64_t k = 0; k < depth; ++k)
        sum += double{x[static_cast<std::size_t>(row * depth + k)]} *
               double{weight[static_cast<std::size_t>(col * depth + k)]};
      expected.push_back(sum);
    }
  return expected;
}

template <class Test>
void for_each_set(Test test) {
  for (const instruction_set set : testing::runnable_instruction_sets()) {
    INFO(name_of(set) << ", seed " << seed);
    test(kernels_of(set));
  }
}

}  // namespace

TEST_CASE("a product is right for rows of both classes, every type and odd sizes",
          "[gpu][matrix_product]") {
  for_each_set([](const kernel_table& kernels) {
    testing::random_floats random(seed);
    for (const auto& [cols, depth] : {std::pair<std::int64_t, std::int64_t>{3, 5},
                                      {1, 1},
                                      {33, 16},
                                      {130, 64},
                                      {515, 77},
                                      {97, 1030},
                                      {20, 2100}}) {
      for (const element_type type :
           {element_type::bfloat16, element_type::float32, element_type::float16}) {
        INFO(cols << " x " << depth << ", type " << static_cast<int>(type));
        const stored_weight stored(random.normal(cols * depth), cols, depth, type);
        const matrix_product product({{stored.view()}}, kernels);
        const std::int64_t prefill = 70;
        const std::int64_t decode = 15;  // One block of each size: 8, 4, 2, 1.
        const auto x = random.normal((prefill + decode) * depth);
        const auto expected =
            expected_of(x, floats_of(stored.view()), prefill + decode, cols, depth);
        CHECK(testing::relative_error(multiply(product, x, prefill, decode, 2), expected) < 1e-6);
      }
    }
  });
}

TEST_CASE("blocks of several tensors give their columns one after the other",
          "[gpu][matrix_product]") {
  for_each_set([](const kernel_table& kernels) {
    testing::random_floats random(seed);
    constexpr std::int64_t depth = 40;
    const stored_weight first(random.normal(70 * depth), 70, depth, element_type::bfloat16);
    const stored_weight second(random.normal(3 * depth), 3, depth, element_type::float32);
    const matrix_product stacked({{first.view(), second.view()}}, kernels);
    REQUIRE(stacked.cols() == 73);
    const auto x = random.normal(10 * depth);
    const auto both = multiply(stacked, x, 6, 4, 2);
    const auto left = multiply(matrix_product({{first.view()}}, kernels), x, 6, 4, 1);
    const auto right = multiply(matrix_product({{second.view()}}, kernels), x, 6, 4, 1);
    for (std::int64_t row = 0; row < 10; ++row) {
      CHECK(std::equal(left.begin() + row * 70, left.begin() + (row + 1) * 70,
                       both.begin() + row * 73));
      CHECK(std::equal(right.begin() + row * 3, right.begin() + (row + 1) * 3,
                       both.begin() + row * 73 + 70));
    }
  });
}

TEST_CASE("parts in any order give what one run gives", "[gpu][matrix_product]") {
  const auto settled = settle_instruction_set(instruction_set::automatic);
  REQUIRE(settled.ok());
  testing::random_floats random(seed);
  constexpr std::int64_t cols = 700;
  constexpr std::int64_t depth = 96;
  const stored_weight stored(random.normal(cols * depth), cols, depth, element_type::float32);
  const matrix_product product({{stored.view()}}, kernels_of(*settled));
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
  for_each_set([](const kernel_table& kernels) {
    testing::random_floats random(seed);
    constexpr std::int64_t cols = 700;
    constexpr std::int64_t rows = 300;
    for (const std::int64_t depth : {256, 1100}) {
      const stored_weight stored(random.normal(cols * depth), cols, depth, element_type::bfloat16);
      const matrix_product product({{stored.view()}}, kernels);
      const auto x = random.normal(rows * depth);
      const auto prefill = multiply(product, x, rows, 0, 1);
      CHECK(multiply(product, x, rows, 0, 2) == prefill);
      CHECK(multiply(product, x, rows, 0, 4) == prefill);
      const auto decode = multiply(product, x, 0, rows, 2);
      for (const std::int64_t row : {0, 1, 63, 64, 100, 255, 256, 299}) {
        for (const std::int64_t count : {1, 2, 3, 5, 8, 13}) {
          if (row + count > rows) continue;
          const std::vector<float> some(x.begin() + row * depth, x.begin() + (row + count) * depth);
          const auto expect_rows = [&](const std::vector<float>& few,
                                       const std::vector<float>& all) {
            CHECK(std::equal(few.begin(), few.end(), all.begin() + row * cols));
          };
          expect_rows(multiply(product, some, count, 0, 2), prefill);
          expect_rows(multiply(product, some, 0, count, 2), decode);
        }
      }
    }
  });
}

TEST_CASE("bfloat16 weights and their float32 copies give the same bits", "[gpu][matrix_product]") {
  for_each_set([](const kernel_table& kernels) {
    testing::random_floats random(seed);
    constexpr std::int64_t cols = 90;
    constexpr std::int64_t depth = 129;
    const stored_weight narrow(random.normal(cols * depth), cols, depth, element_type::bfloat16);
    const stored_weight wide(floats_of(narrow.view()), cols, depth, element_type::float32);
    const auto x = random.normal(20 * depth);
    CHECK(multiply(matrix_product({{narrow.view()}}, kernels), x, 11, 9, 2) ==
          multiply(matrix_product({{wide.view()}}, kernels), x, 11, 9, 2));
  });
}

}  // namespace weft::gpu
