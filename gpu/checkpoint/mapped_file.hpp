// A file's bytes, read-only, mapped into memory: nothing is copied, pages come in as they are read.
//
// Move-only; unmaps in the destructor. Spans from `bytes` live as long as the object (moving it
// keeps them valid). A file that someone truncates while it is mapped raises SIGBUS on reading, so
// checkpoints are replaced by renaming, never rewritten in place. Threads: any, once opened.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

class mapped_file {
 public:
  // `unavailable` if the file cannot be opened or mapped, `rejected` if it is not a regular file.
  // An empty file gives an empty span.
  static result<mapped_file> open(const std::filesystem::path& path);

  mapped_file(mapped_file&& other) noexcept;
  mapped_file& operator=(mapped_file&& other) noexcept;
  mapped_file(const mapped_file&) = delete;
  mapped_file& operator=(const mapped_file&) = delete;
  ~mapped_file();

  std::span<const std::byte> bytes() const { return {data_, size_}; }

 private:
  mapped_file(const std::byte* data, std::size_t size) : data_(data), size_(size) {}
  void unmap();

  const std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// For readers of long stretches, of bytes inside a mapped_file (of nothing else: other memory would
// be lost). The kernel begins to read them, and lets go of those that were read: they are read
// again from the file, or its cache, when somebody wants them.
void expect_reading(std::span<const std::byte> mapped);
void drop_pages(std::span<const std::byte> mapped);

}  // namespace weft::gpu
