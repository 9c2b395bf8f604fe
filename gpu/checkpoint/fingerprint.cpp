#include "gpu/checkpoint/fingerprint.hpp"

#include <array>
#include <vector>

#include <sys/stat.h>

#include "gpu/checkpoint/framed_hash.hpp"
#include "gpu/checkpoint/mapped_file.hpp"

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

void add_head(framed_hash& hash, const stored_tensor& tensor) {
  hash.add(tensor.name);
  hash.add(tensor.type_name);
  hash.add_number(tensor.dims.size());
  for (const std::int64_t dim : tensor.dims) hash.add_number(static_cast<std::uint64_t>(dim));
  hash.add_number(tensor.bytes.size());
}

}  // namespace

std::string identity_of(const fs::path& folder, const tensor_index& index) {
  std::vector<fs::path> files = index.files();
  for (const std::string_view name : small_files) files.push_back(folder / name);
  files.push_back(folder / "model.safetensors.index.json");
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

result<fingerprints> fingerprint_of(const fs::path& folder, const tensor_index& index,
                                    const tensor_pass& pass) {
  framed_hash model;
  for (const std::string_view name : small_files) {
    if (status added = add_file(model, folder, name); !added) return added.error();
  }
  model.add_number(index.tensors().size());
  const auto take = [&](const stored_tensor& tensor, std::size_t at,
                        std::span<const std::byte> piece) {
    if (at == 0) add_head(model, tensor);
    model.add_piece(piece);
  };
  if (status passed = pass_over(index, pass, take); !passed) return passed.error();
  framed_hash tokenizer;
  if (status added = add_file(tokenizer, folder, tokenizer_name); !added) return added.error();
  return fingerprints{.model = model.finish(), .tokenizer = tokenizer.finish()};
}

}  // namespace weft::gpu
