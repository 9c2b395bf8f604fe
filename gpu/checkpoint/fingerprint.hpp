// What a model is, in 32 bytes: entries made by one model must never be taken for another's.
//
// The model fingerprint is SHA-256 over config.json, tokenizer.json, weft.json and every tensor of
// the checkpoint in the order of names (name, type, shape, bytes), each part framed by its length,
// so that no two different models have equal streams; a file that is not there differs from an
// empty one. The tokenizer fingerprint is the same over tokenizer.json alone. How tensors are
// spread over shards does not count.
//
// Reading all bytes takes seconds for large models, so the result is remembered in a small file per
// model folder, together with device, inode, size and times of change of every file read. A cache
// that cannot be read, written or believed is ignored.
#pragma once

#include <filesystem>
#include <string>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

struct fingerprints {
  std::string model;        // 64 hexadecimal digits.
  std::string tokenizer;    // The same.
  bool remembered = false;  // Came from the cache; for people and tests.
};

// $XDG_CACHE_HOME/weft, or ~/.cache/weft; empty where neither is known.
std::filesystem::path default_cache_folder();

// Fingerprints of the model in `folder`. `cache_folder`: made when needed; empty for no cache.
// Failures are those of reading the tensors' index and the files.
result<fingerprints> fingerprint_of(const std::filesystem::path& folder,
                                    const std::filesystem::path& cache_folder);
result<fingerprints> fingerprint_of(const std::filesystem::path& folder);

}  // namespace weft::gpu
