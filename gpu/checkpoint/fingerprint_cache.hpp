// Remembers fingerprints of model folders in small files, one a folder. A cache that cannot be
// read, written or believed is ignored.
//
// A file holds the identity of what was read, the fingerprints and a checksum over both; anything
// that does not fit exactly counts as nothing. Files are replaced by renaming, so readers see the
// old one or the new one. What is remembered was read to the end: its weights are numbers.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "gpu/checkpoint/fingerprint.hpp"

namespace weft::gpu {

// $XDG_CACHE_HOME/weft, or ~/.cache/weft; empty where neither is known.
std::filesystem::path default_cache_folder();

// What `cache_folder` remembers of `model_folder`, if that was made from files of this identity.
std::optional<fingerprints> recall(const std::filesystem::path& cache_folder,
                                   const std::filesystem::path& model_folder,
                                   const std::string& identity);

// Remembers; says nothing if it cannot, since a cache may always be absent.
void remember(const std::filesystem::path& cache_folder, const std::filesystem::path& model_folder,
              const std::string& identity, const fingerprints& prints);

// The file that recall and remember use.
std::filesystem::path cache_file_of(const std::filesystem::path& cache_folder,
                                    const std::filesystem::path& model_folder);

}  // namespace weft::gpu
