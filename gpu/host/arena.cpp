#include "gpu/host/arena.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <sys/mman.h>

namespace weft::gpu {

arena::arena(arena&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)),
      unit_floats_(other.unit_floats_),
      bytes_(std::exchange(other.bytes_, 0)) {}

arena& arena::operator=(arena&& other) noexcept {
  std::swap(base_, other.base_);
  std::swap(unit_floats_, other.unit_floats_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

arena::~arena() {
  if (base_ != nullptr) munmap(base_, bytes_);
}

result<arena> arena::make(std::int64_t units, std::int64_t unit_floats) {
  arena made;
  made.unit_floats_ = unit_floats;
  made.bytes_ = static_cast<std::size_t>(units * unit_floats + 64) * sizeof(float);
  void* memory = mmap(nullptr, made.bytes_, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED)
    return overloaded("cannot map " + std::to_string(made.bytes_ >> 20) +
                      " MiB for a pool: " + std::strerror(errno) + "; lower the cache's size");
  // A step walks through slots page by page; in pages of two megabytes, where the kernel has them,
  // it waits for fewer address look-ups. What the kernel says to that does not matter.
  (void)madvise(memory, made.bytes_, MADV_HUGEPAGE);
  made.base_ = static_cast<float*>(memory);
  return made;
}

}  // namespace weft::gpu
