// Seeded random floats for kernel tests, and the kernel tables that this processor can run.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "gpu/host/instructions.hpp"
#include "gpu/host/kernel_table.hpp"

namespace weft::gpu::testing {

class random_floats {
 public:
  explicit random_floats(unsigned seed) : generator_(seed) {}

  std::vector<float> normal(std::int64_t count, double deviation = 1) {
    std::normal_distribution<double> values(0, deviation);
    std::vector<float> made(static_cast<std::size_t>(count));
    for (float& value : made) value = static_cast<float>(values(generator_));
    return made;
  }

  double uniform(double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(generator_);
  }

 private:
  std::mt19937 generator_;
};

inline std::vector<instruction_set> runnable_instruction_sets() {
  std::vector<instruction_set> sets;
  for (const auto each : {instruction_set::sse2, instruction_set::avx2, instruction_set::avx512})
    if (each <= widest_instruction_set()) sets.push_back(each);
  return sets;
}

// |a - b| / |b| over the whole tensor.
template <class Actual, class Expected>
double relative_error(const Actual& a, const Expected& b) {
  double difference = 0;
  double norm = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    const double d = static_cast<double>(a[i]) - static_cast<double>(b[i]);
    difference += d * d;
    norm += static_cast<double>(b[i]) * static_cast<double>(b[i]);
  }
  return norm == 0 ? std::sqrt(difference) : std::sqrt(difference / norm);
}

}  // namespace weft::gpu::testing
