// Working memory of floats that begins at a cache line: a vector that straddles two lines costs two
// reads, and rows that are whole lines apart would all straddle.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace weft::gpu {

template <class Value>
struct line_allocator {
  using value_type = Value;
  static constexpr std::align_val_t line_bytes{64};

  line_allocator() = default;
  template <class Other>
  line_allocator(const line_allocator<Other>&) {}  // NOLINT: what the standard asks for.

  Value* allocate(std::size_t count) {
    return static_cast<Value*>(::operator new(count * sizeof(Value), line_bytes));
  }
  void deallocate(Value* memory, std::size_t) { ::operator delete(memory, line_bytes); }
  friend bool operator==(const line_allocator&, const line_allocator&) { return true; }
};

using float_buffer = std::vector<float, line_allocator<float>>;

}  // namespace weft::gpu
