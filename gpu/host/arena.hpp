// Memory for a pool's units: zeroed, 64-byte aligned, committed by the kernel when first touched.
#pragma once

#include <cstdint>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

class arena {
 public:
  arena() = default;
  arena(arena&& other) noexcept;
  arena& operator=(arena&& other) noexcept;
  ~arena();

  // Room for `units` of `unit_floats` floats each (and one vector more, for reads past the last),
  // or `overloaded` when the address space refuses.
  static result<arena> make(std::int64_t units, std::int64_t unit_floats);

  float* unit(std::int32_t id) const { return base_ + id * unit_floats_; }
  float* base() const { return base_; }
  std::int64_t unit_floats() const { return unit_floats_; }

 private:
  float* base_ = nullptr;
  std::int64_t unit_floats_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace weft::gpu
