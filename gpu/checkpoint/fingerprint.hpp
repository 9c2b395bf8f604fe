// What a model is, in 32 bytes: entries made by one model must never be taken for another's.
//
// The model fingerprint is SHA-256 over config.json, tokenizer.json, weft.json and every tensor of
// the checkpoint in the order of names (name, type, shape, bytes), each part framed by its length,
// so that no two different models have equal streams; a file that is not there differs from an
// empty one. The tokenizer fingerprint is the same over tokenizer.json alone. How tensors are
// spread over shards does not count.
//
// Reading all bytes takes seconds for large models: opened_model remembers what came of it
// (fingerprint_cache) for as long as the files' identity stays the same.
#pragma once

#include <filesystem>
#include <string>

#include "gpu/checkpoint/tensor_pass.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

struct fingerprints {
  std::string model;        // 64 hexadecimal digits.
  std::string tokenizer;    // The same.
  bool remembered = false;  // Came from the cache; for people and tests.
};

// Device, inode, size and times of change of every file that counts, as a digest: it changes
// whenever one of them is replaced or rewritten.
std::string identity_of(const std::filesystem::path& folder, const tensor_index& index);

// Fingerprints of the model in `folder`, whose tensors `index` has mapped. Reads everything; `pass`
// says what else is asked of the tensors' bytes. Failures are those of reading the files, and of
// the pass.
result<fingerprints> fingerprint_of(const std::filesystem::path& folder, const tensor_index& index,
                                    const tensor_pass& pass = {});

}  // namespace weft::gpu
