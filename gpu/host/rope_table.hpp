// cos and sin of the rotary angles of every position up to a limit that grows on demand.
//
// Inverse frequencies are rounded to float as the public implementation does; angles are then exact
// to double, so that turning a query by m - p meets a key at j as it would meet it at p + j.
#pragma once

#include <cstdint>
#include <vector>

#include "gpu/host/kernel_table.hpp"

namespace weft::gpu {

class rope_table {
 public:
  // rotary_dim: even, 0 for none.
  rope_table(std::int64_t rotary_dim, double theta);

  // Makes the table hold positions [0, positions). Not while kernels read it.
  void grow(std::int64_t positions);
  rope_view view() const { return {cosines_.data(), sines_.data(), rotary_dim_}; }

 private:
  std::int64_t rotary_dim_;
  std::vector<float> frequencies_;
  std::vector<float> cosines_;
  std::vector<float> sines_;
  std::int64_t positions_ = 0;
};

}  // namespace weft::gpu
