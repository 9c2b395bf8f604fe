#include "gpu/checkpoint/fingerprint.hpp"

#include <array>
#include <cstdlib>
#include <vector>

#include <sys/stat.h>

#include "gpu/checkpoint/fingerprint_cache.hpp"
#include "gpu/checkpoint/framed_hash.hpp"
#include "gpu/checkpoint/mapped_file.hpp"
#include "gpu/checkpoint/tensor_index.hpp"

namespace weft::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view tokenizer_name = "tokenizer.json";
constexpr std::array<std::string_view, 3> small_files = {"config.json", tokenizer_name,
                                                         "weft.json"};

// A part that is there, or the mark of one that is not.
status add_file(framed_hash& hash, const fs::path& folder, std::string_view name) {
  hash.add(name);
  std::error_code ignored;
  const bool there = fs::exists(folder / name, ignored);
  hash.add_number(there ? 1 : 0);
  if (!there) return {};
  const result<mapped_file> file = mapped_file::open(folder / name);
  if (!file) return file.error();
  hash.add(file->bytes());
  return {};
}

void add_tensor(framed_hash& hash, const stored_tensor& tensor) {
  hash.add(tensor.name);
  hash.add(tensor.type_name);
  hash.add_number(tensor.dims.size());
  for (const std::int64_t dim : tensor.dims) hash.add_number(static_cast<std::uint64_t>(dim));
  hash.add(tensor.bytes);
}

// Changes whenever any of the files is replaced or rewritten.
std::string identity_of(const std::vector<fs::path>& files) {
  framed_hash hash;
  for (const fs::path& path : files) {
    hash.add(path.filename().string());
    struct stat about = {};
    const bool there = ::stat(path.c_str(), &about) == 0;
    hash.add_number(there ? 1 : 0);
    if (!there) continue;
    hash.add_number(about.st_dev);
    hash.add_number(about.st_ino);
    hash.add_number(static_cast<std::uint64_t>(about.st_size));
    for (const timespec& time : {about.st_mtim, about.st_ctim}) {
      hash.add_number(static_cast<std::uint64_t>(time.tv_sec));
      hash.add_number(static_cast<std::uint64_t>(time.tv_nsec));
    }
  }
  return hash.finish();
}

result<fingerprints> read_everything(const fs::path& folder, const tensor_index& index) {
  framed_hash model;
  for (const std::string_view name : small_files) {
    if (status added = add_file(model, folder, name); !added) return added.error();
  }
  model.add_number(index.tensors().size());
  for (const stored_tensor& tensor : index.tensors()) add_tensor(model, tensor);
  framed_hash tokenizer;
  if (status added = add_file(tokenizer, folder, tokenizer_name); !added) return added.error();
  return fingerprints{.model = model.finish(), .tokenizer = tokenizer.finish()};
}

}  // namespace

fs::path default_cache_folder() {
  // The convention wants absolute paths and tells programs to ignore others.
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / "weft";
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "weft";
  return {};
}

result<fingerprints> fingerprint_of(const fs::path& folder) {
  return fingerprint_of(folder, default_cache_folder());
}

result<fingerprints> fingerprint_of(const fs::path& folder, const fs::path& cache_folder) {
  const result<tensor_index> index = tensor_index::open(folder);
  if (!index) return index.error();
  std::vector<fs::path> files = index->files();
  for (const std::string_view name : small_files) files.push_back(folder / name);
  files.push_back(folder / "model.safetensors.index.json");
  const std::string identity = identity_of(files);
  if (!cache_folder.empty()) {
    if (const auto known = recall(cache_folder, folder, identity)) return *known;
  }
  // Opened anew, so that all that is read was opened between the two looks at the files' identity:
  // what changes meanwhile must not be remembered.
  const result<tensor_index> fresh = tensor_index::open(folder);
  if (!fresh) return fresh.error();
  result<fingerprints> prints = read_everything(folder, *fresh);
  if (prints && !cache_folder.empty() && identity_of(files) == identity) {
    remember(cache_folder, folder, identity, *prints);
  }
  return prints;
}

}  // namespace weft::gpu
