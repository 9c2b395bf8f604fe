// Whether the weights that steps compute with are numbers: those in this process's memory, not the
// checkpoint's (gpu/checkpoint/finite looks at that one).
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/host/thread_pool.hpp"
#include "gpu/model/model_weights.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

// Hears of one piece of weights: its name for people and its floats, which outlive the visit.
using weight_visitor = std::function<void(std::string_view name, std::span<const float> values)>;

class weight_check {
 public:
  explicit weight_check(thread_pool& pool) : pool_(pool) {}

  // Floats to be read, called `name`. They must outlive this.
  void add(std::string name, std::span<const float> values);

  // `broken`, naming the first added that holds NaN or infinity. `rows` are read besides: a matrix
  // whose rows are widened only when a step needs them (the embedding). Bound: memory.
  status run(const tensor_view& rows) const;

 private:
  struct piece {
    std::string name;
    std::span<const float> values;
  };

  bool holds_numbers(const tensor_view& tensor) const;

  thread_pool& pool_;
  std::vector<piece> pieces_;
};

}  // namespace weft::gpu
