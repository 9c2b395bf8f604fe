// Row kernels of every instruction set this processor has, against double arithmetic, odd sizes
// too.
#include <cmath>

#include <catch2/catch.hpp>

#include "gpu/host/kernel_table.hpp"
#include "tests/gpu/random_floats.hpp"

namespace weft::gpu {
namespace {

constexpr unsigned seed = 20240607;

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

// Calls test(kernels, width) for every set and for widths around the vectors' sizes.
template <class Test>
void for_each_width(Test test) {
  for (const instruction_set set : testing::runnable_instruction_sets())
    for (const std::int64_t width : {1, 3, 4, 7, 8, 9, 15, 16, 17, 64, 100, 128, 257}) {
      INFO(name_of(set) << ", width " << width << ", seed " << seed);
      test(kernels_of(set), width);
    }
}

}  // namespace

TEST_CASE("rms_norm divides by the root mean square", "[gpu][kernels]") {
  testing::random_floats random(seed);
  for_each_width([&](const kernel_table& kernels, std::int64_t width) {
    const auto x = random.normal(3 * width, 2);
    const auto weight = random.normal(width);
    std::vector<float> y(x.size());
    kernels.rms_norm({.x = x.data(),
                      .x_row = width,
                      .weight = weight.data(),
                      .y = y.data(),
                      .y_row = width,
                      .rows = 3,
                      .width = width,
                      .epsilon = 1e-6F});
    std::vector<double> expected;
    for (std::int64_t row = 0; row < 3; ++row) {
      double squares = 0;
      for (std::int64_t i = 0; i < width; ++i)
        squares += std::pow(double{x[static_cast<std::size_t>(row * width + i)]}, 2);
      for (std::int64_t i = 0; i < width; ++i)
        expected.push_back(double{x[static_cast<std::size_t>(row * width + i)]} /
                           std::sqrt(squares / static_cast<double>(width) + 1e-6) *
                           double{weight[static_cast<std::size_t>(i)]});
    }
    CHECK(testing::relative_error(y, expected) < 1e-6);
  });
}

TEST_CASE("gates multiply by silu and by sigmoid", "[gpu][kernels]") {
  testing::random_floats random(seed);
  for_each_width([&](const kernel_table& kernels, std::int64_t width) {
    const auto gate = random.normal(width, 5);
    const auto x = random.normal(width);
    std::vector<float> by_silu(x.size());
    std::vector<float> by_sigmoid(x.size());
    kernels.silu_multiply(gate.data(), x.data(), by_silu.data(), width);
    kernels.sigmoid_multiply(gate.data(), x.data(), by_sigmoid.data(), width);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double s = sigmoid(double{gate[i]});
      CHECK(double{by_sigmoid[i]} == Approx(s * double{x[i]}).epsilon(1e-6));
      CHECK(double{by_silu[i]} == Approx(s * double{gate[i]} * double{x[i]}).epsilon(1e-6));
    }
  });
}

TEST_CASE("gates at extreme values stay finite, NaN stays NaN", "[gpu][kernels]") {
  for (const instruction_set set : testing::runnable_instruction_sets()) {
    const std::vector<float> gate = {-1e30F, -200, -88, 0, 88, 200, 1e30F, std::nanf("")};
    const std::vector<float> x(gate.size(), 1);
    std::vector<float> y(gate.size());
    kernels_of(set).sigmoid_multiply(gate.data(), x.data(), y.data(),
                                     static_cast<std::int64_t>(y.size()));
    CHECK(y[0] < 1e-30F);
    CHECK(y[3] == 0.5F);
    CHECK(y[6] == 1.0F);
    for (std::size_t i = 0; i + 1 < y.size(); ++i) CHECK(std::isfinite(y[i]));
    CHECK(std::isnan(y.back()));
  }
}

TEST_CASE("the convolution sums its taps and applies silu", "[gpu][kernels]") {
  testing::random_floats random(seed);
  for_each_width([&](const kernel_table& kernels, std::int64_t width) {
    for (const int kernel : {2, 3, 4, 8}) {
      const auto rows = random.normal(kernel * width);
      const auto weight = random.normal(kernel * width);
      std::vector<const float*> taps;
      for (int j = 0; j < kernel; ++j) taps.push_back(rows.data() + j * width);
      std::vector<float> y(static_cast<std::size_t>(width));
      kernels.conv_silu({.taps = taps.data(),
                         .weight = weight.data(),
                         .y = y.data(),
                         .channels = width,
                         .kernel = kernel});
      std::vector<double> expected;
      for (std::int64_t c = 0; c < width; ++c) {
        double sum = 0;
        for (int j = 0; j < kernel; ++j)
          sum += double{rows[static_cast<std::size_t>(j * width + c)]} *
                 double{weight[static_cast<std::size_t>(j * width + c)]};
        expected.push_back(sum * sigmoid(sum));
      }
      CHECK(testing::relative_error(y, expected) < 3e-6);
    }
  });
}

TEST_CASE("l2_norm gives heads of the asked length", "[gpu][kernels]") {
  testing::random_floats random(seed);
  for_each_width([&](const kernel_table& kernels, std::int64_t width) {
    auto x = random.normal(2 * width, 3);
    const auto before = x;
    kernels.l2_norm({.x = x.data(), .heads = 2, .width = width, .scale = 0.5F});
    std::vector<double> expected;
    for (std::int64_t head = 0; head < 2; ++head) {
      double squares = 1e-6;
      for (std::int64_t i = 0; i < width; ++i)
        squares += std::pow(double{before[static_cast<std::size_t>(head * width + i)]}, 2);
      for (std::int64_t i = 0; i < width; ++i)
        expected.push_back(0.5 * double{before[static_cast<std::size_t>(head * width + i)]} /
                           std::sqrt(squares));
    }
    CHECK(testing::relative_error(x, expected) < 1e-6);
  });
}

}  // namespace weft::gpu
