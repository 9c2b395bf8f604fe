#include "gpu/comm/staging_ring.hpp"

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

namespace weft::gpu::comm {
namespace {

constexpr int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL;
constexpr std::uint64_t stat_block_bytes = 512;  // The unit of st_blocks, whatever the file system.

mapped_bytes map_shared(int file, std::size_t bytes) {
  void* start = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (start == MAP_FAILED) return {};
  return {start, bytes};
}

}  // namespace

mapped_bytes::mapped_bytes(mapped_bytes&& other) noexcept
    : start_(std::exchange(other.start_, nullptr)), size_(std::exchange(other.size_, 0)) {}

mapped_bytes& mapped_bytes::operator=(mapped_bytes&& other) noexcept {
  if (this != &other) {
    unmap();
    start_ = std::exchange(other.start_, nullptr);
    size_ = std::exchange(other.size_, 0);
  }
  return *this;
}

void mapped_bytes::unmap() {
  if (start_ != nullptr) ::munmap(start_, size_);
  start_ = nullptr;
}

result<staging_ring> staging_ring::make(std::size_t bytes) {
  WEFT_ASSERT(bytes > 0);
  const auto no = [](const char* what) {
    return overloaded(std::string("cannot ") + what + " shared staging: " + std::strerror(errno));
  };
  descriptor file(::memfd_create("weft-staging", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!file) return no("make");
  if (::fallocate(file.number(), 0, 0, static_cast<off_t>(bytes)) != 0) return no("set aside");
  if (::fcntl(file.number(), F_ADD_SEALS, seals) != 0) return no("seal");
  auto memory = map_shared(file.number(), bytes);
  if (!memory) return no("map");
  return staging_ring(std::move(file), std::move(memory));
}

std::span<const std::byte> staging_ring::at(std::uint64_t passed, std::size_t count) const {
  const std::size_t place = passed % memory_.size();
  if (count > memory_.size() - place) return {};
  return memory_.bytes().subspan(place, count);
}

result<mapped_ring> mapped_ring::map(descriptor file, std::size_t bytes) {
  const int found = ::fcntl(file.number(), F_GET_SEALS);
  if (found < 0 || (found & F_SEAL_SHRINK) == 0)
    return rejected("the staging that came is no memfd sealed against shrinking");
  struct stat state {};
  if (::fstat(file.number(), &state) != 0 || static_cast<std::uint64_t>(state.st_size) != bytes)
    return rejected("the staging that came has another size than was said");
  if (static_cast<std::uint64_t>(state.st_blocks) * stat_block_bytes < bytes)
    return rejected("the staging that came has holes; set its memory aside first");
  auto memory = map_shared(file.number(), bytes);
  if (!memory) return overloaded(std::string("cannot map staging: ") + std::strerror(errno));
  return mapped_ring(std::move(memory));
}

std::span<std::byte> mapped_ring::at(std::uint64_t passed) const {
  return memory_.bytes().subspan(passed % memory_.size());
}

}  // namespace weft::gpu::comm
