#include "gpu/checkpoint/fingerprint_cache.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "gpu/checkpoint/framed_hash.hpp"
#include "gpu/checkpoint/fresh_file.hpp"

namespace weft::gpu {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view title = "weft-fingerprints-2";
constexpr std::size_t hex_digits = 64;

std::string checksum_of(const std::string& identity, const fingerprints& prints) {
  framed_hash hash;
  for (const std::string_view part :
       {title, std::string_view(identity), std::string_view(prints.model),
        std::string_view(prints.tokenizer)}) {
    hash.add(part);
  }
  return hash.finish();
}

}  // namespace

std::optional<fingerprints> recall(const fs::path& cache_folder, const fs::path& model_folder,
                                   const std::string& identity) {
  const fs::path file = cache_file_of(cache_folder, model_folder);
  std::error_code ignored;
  if (!fs::is_regular_file(file, ignored)) return std::nullopt;  // A pipe or device has no end.
  std::ifstream in(file, std::ios::binary);
  std::string found_title;
  std::string found_identity;
  std::string checksum;
  fingerprints prints;
  in >> found_title >> found_identity >> prints.model >> prints.tokenizer >> checksum;
  if (!in || found_title != title || found_identity != identity) return std::nullopt;
  if (prints.model.size() != hex_digits || prints.tokenizer.size() != hex_digits) {
    return std::nullopt;
  }
  if (checksum != checksum_of(identity, prints)) return std::nullopt;
  prints.remembered = true;
  return prints;
}

void remember(const fs::path& cache_folder, const fs::path& model_folder,
              const std::string& identity, const fingerprints& prints) {
  std::error_code ignored;
  fs::create_directories(cache_folder, ignored);
  const fs::path file = cache_file_of(cache_folder, model_folder);
  // A name of its own: two writers must not share a half-written file.
  const fs::path draft = fresh_name(file);
  if (!make_fresh(draft)) return;
  std::ofstream out(draft, std::ios::binary | std::ios::trunc);
  out << title << '\n'
      << identity << '\n'
      << prints.model << '\n'
      << prints.tokenizer << '\n'
      << checksum_of(identity, prints) << '\n';
  out.close();
  if (out) {
    fs::rename(draft, file, ignored);
    if (!ignored) return;
  }
  fs::remove(draft, ignored);
}

fs::path default_cache_folder() {
  // The convention wants absolute paths and tells programs to ignore others.
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && fs::path(cache).is_absolute()) return fs::path(cache) / "weft";
  const char* home = std::getenv("HOME");
  if (home != nullptr && fs::path(home).is_absolute()) return fs::path(home) / ".cache" / "weft";
  return {};
}

fs::path cache_file_of(const fs::path& cache_folder, const fs::path& model_folder) {
  std::error_code ignored;
  const fs::path absolute = fs::weakly_canonical(model_folder, ignored);
  framed_hash hash;
  hash.add((absolute.empty() ? model_folder : absolute).string());
  constexpr std::size_t name_digits = 32;  // Half a digest still tells folders apart.
  return cache_folder / ("fingerprints-" + hash.finish().substr(0, name_digits));
}

}  // namespace weft::gpu
