#include "gpu/checkpoint/fresh_file.hpp"

#include <array>
#include <cstdio>
#include <random>

#include <fcntl.h>
#include <unistd.h>

namespace weft::gpu {

std::filesystem::path fresh_name(const std::filesystem::path& target) {
  std::random_device random;
  std::array<char, 24> ending{};
  std::snprintf(ending.data(), ending.size(), ".%08x%08x.new", random(), random());
  std::filesystem::path name = target;
  name += ending.data();
  return name;
}

bool make_fresh(const std::filesystem::path& path) {
  // Rights as any new file gets them.
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file < 0) return false;
  ::close(file);
  return true;
}

}  // namespace weft::gpu
