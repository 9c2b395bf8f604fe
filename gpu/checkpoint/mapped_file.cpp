#include "gpu/checkpoint/mapped_file.hpp"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace weft::gpu {
namespace {

failure cannot(const char* what, const std::filesystem::path& path) {
  return unavailable("cannot " + std::string(what) + " " + path.string() + ": " +
                     std::strerror(errno));
}

// Closes the descriptor on every way out; the mapping does not need it.
struct open_descriptor {
  int number;
  ~open_descriptor() {
    if (number >= 0) ::close(number);
  }
};

// Whole pages, since advice is by pages; a mapping is whole pages too. What the kernel says to
// advice does not matter.
void advise(std::span<const std::byte> mapped, int advice) {
  if (mapped.empty()) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  const auto begin = reinterpret_cast<std::uintptr_t>(mapped.data()) / page * page;
  const auto end = reinterpret_cast<std::uintptr_t>(mapped.data() + mapped.size());
  (void)::madvise(reinterpret_cast<void*>(begin), end - begin, advice);
}

}  // namespace

void expect_reading(std::span<const std::byte> mapped) { advise(mapped, MADV_WILLNEED); }

void drop_pages(std::span<const std::byte> mapped) { advise(mapped, MADV_DONTNEED); }

result<mapped_file> mapped_file::open(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a pipe that somebody put there must not wait for a writer.
  const open_descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.number < 0) return cannot("open", path);
  struct stat about = {};
  if (::fstat(file.number, &about) != 0) return cannot("examine", path);
  if (!S_ISREG(about.st_mode)) return rejected(path.string() + " is not a regular file");
  if (about.st_size == 0) return mapped_file(nullptr, 0);
  const auto size = static_cast<std::size_t>(about.st_size);
  void* address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
  if (address == MAP_FAILED) return cannot("map", path);
  return mapped_file(static_cast<const std::byte*>(address), size);
}

mapped_file::mapped_file(mapped_file&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  if (this != &other) {
    unmap();
    data_ = std::exchange(other.data_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

mapped_file::~mapped_file() { unmap(); }

void mapped_file::unmap() {
  if (data_ == nullptr) return;
  // munmap takes no const, though nothing is written.
  ::munmap(const_cast<std::byte*>(data_), size_);
  data_ = nullptr;
  size_ = 0;
}

}  // namespace weft::gpu
