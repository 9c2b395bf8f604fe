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
                            std::int64_t rows, int threads) {
  thread_pool pool(threads);
  std::vector<float> y(static_cast<std::size_t>(rows * product.cols()));
  product.run(x.data(), y.data(), rows, pool);
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

TEST_CASE("a product is right for every type, form and odd size", "[gpu][matrix_product]") {
  for_each_set([](const kernel_table& kernels) {
    testing::random_floats random(seed);
    for (const auto& [cols, depth] : {std::pair<std::int64_t, std::int64_t>{3, 5},
                                      {1, 1},
                                      {33, 16},
                                      {130, 64},
                                      {515, 77},
                                      {97, 1030},
                                      {20, 2100}})
      for (const element_type type :
           {element_type::bfloat16, element_type::float32, element_type::float16})
        for (const weight_form form : {weight_form::in_place, weight_form::packed}) {
          INFO(cols << " x " << depth << ", type " << static_cast<int>(type) << ", form "
                    << static_cast<int>(form));
          const stored_weight stored(random.normal(cols * depth), cols, depth, type);
          const matrix_product product({{stored.view()}}, form, kernels);
          constexpr std::int64_t rows = 70;
          const auto x = random.normal(rows * depth);
          const auto expected = expected_of(x, floats_of(stored.view()), rows, cols, depth);
          CHECK(testing::relative_error(multiply(product, x, rows, 2), expected) < 1e-6);
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
    for (const weight_form form : {weight_form::in_place, weight_form::packed}) {
      const matrix_product stacked({{first.view(), second.view()}}, form, kernels);
      REQUIRE(stacked.cols() == 73);
      const auto x = random.normal(10 * depth);
      const auto both = multiply(stacked, x, 10, 2);
      const auto left = multiply(matrix_product({{first.view()}}, form, kernels), x, 10, 1);
      const auto right = multiply(matrix_product({{second.view()}}, form, kernels), x, 10, 1);
      for (std::int64_t row = 0; row < 10; ++row) {
        CHECK(std::equal(left.begin() + row * 70, left.begin() + (row + 1) * 70,
                         both.begin() + row * 73));
        CHECK(std::equal(right.begin() + row * 3, right.begin() + (row + 1) * 3,
                         both.begin() + row * 73 + 70));
      }
    }
  });
}

TEST_CASE("parts in any order give what one run gives", "[gpu][matrix_product]") {
  testing::random_floats random(seed);
  constexpr std::int64_t cols = 700;
  constexpr std::int64_t depth = 96;
  const stored_weight stored(random.normal(cols * depth), cols, depth, element_type::float32);
  const matrix_product product({{stored.view()}}, weight_form::packed,
                               kernels_of(widest_instruction_set()));
  for (const std::int64_t rows : {1, 3, 70, 300}) {
    const auto x = random.normal(rows * depth);
    std::vector<float> y(static_cast<std::size_t>(rows * cols), std::nanf(""));
    const std::int64_t parts = product.part_count(rows);
    CHECK(parts >= 11);
    for (std::int64_t part = parts - 1; part >= 0; --part)
      product.run_part(part, x.data(), y.data(), rows);
    CHECK(y == multiply(product, x, rows, 2));
  }
  CHECK(product.part_count(0) == 0);
}

TEST_CASE("a row's bits depend on the row alone, packed or not", "[gpu][matrix_product]") {
  for_each_set([](const kernel_table& kernels) {
    testing::random_floats random(seed);
    constexpr std::int64_t cols = 340;
    constexpr std::int64_t rows = 300;
    for (const element_type type : {element_type::bfloat16, element_type::float32})
      for (const std::int64_t depth : {256, 1100}) {
        const stored_weight stored(random.normal(cols * depth), cols, depth, type);
        const matrix_product in_place({{stored.view()}}, weight_form::in_place, kernels);
        const matrix_product packed({{stored.view()}}, weight_form::packed, kernels);
        const auto x = random.normal(rows * depth);
        const auto all = multiply(in_place, x, rows, 1);
        CHECK(multiply(in_place, x, rows, 4) == all);
        CHECK(multiply(packed, x, rows, 1) == all);
        CHECK(multiply(packed, x, rows, 2) == all);
        for (const std::int64_t row : {0, 1, 63, 255, 256, 283})
          for (const std::int64_t count : {1, 2, 3, 5, 8, 13, 16, 17}) {
            const std::vector<float> some(x.begin() + row * depth,
                                          x.begin() + (row + count) * depth);
            for (const matrix_product* product : {&in_place, &packed}) {
              const auto few = multiply(*product, some, count, 2);
              CHECK(std::equal(few.begin(), few.end(), all.begin() + row * cols));
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
    for (const weight_form form : {weight_form::in_place, weight_form::packed})
      CHECK(multiply(matrix_product({{narrow.view()}}, form, kernels), x, 20, 2) ==
            multiply(matrix_product({{wide.view()}}, form, kernels), x, 20, 2));
  });
}

}  // namespace weft::gpu
