// The search for weights that are not numbers, before they can poison an answer.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// Reads every weight once, with `threads` threads (0: as many as there are cores, at most 8), and
// names the first tensor and element that is NaN or infinite (`rejected`). The answer does not
// depend on the number of threads. Bound: memory.
status check_finite(const model_weights& weights, int threads = 0);

// What is said of such an element; `place` is its file, empty where nobody knows it.
failure not_finite(const std::string& place, const std::string& tensor, std::int64_t element);

// Numbers of one kind in memory.
struct number_memory {
  element_type type = element_type::float32;
  std::span<const std::byte> bytes;  // Whole elements.
};
struct bad_number {
  std::size_t part = 0;      // Index into the list that was searched.
  std::int64_t element = 0;  // In that part.
};

// The first number of `parts` that is NaN or infinite, searched for in the same way.
std::optional<bad_number> find_not_finite(std::span<const number_memory> parts, int threads = 0);

}  // namespace weft::gpu
