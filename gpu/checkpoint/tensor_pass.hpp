// One pass over the bytes of all tensors of a folder, in bounded memory.
//
// Bytes come in the order of names, in pieces. While the caller works on some, a thread of the pass
// reads the next ones, searching them for NaN and infinity; pages are dropped behind the caller, so
// that a model larger than memory passes too. Internal to gpu/checkpoint.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>

#include "gpu/checkpoint/tensor_index.hpp"
#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

struct tensor_pass {
  // Tensors that must hold numbers only.
  std::set<std::string> finite = {};
  // Called on the caller's thread, after about every `pass_bytes`, with the bytes of tensors that
  // are done and all there are. Empty: nobody listens.
  std::function<void(std::int64_t done, std::int64_t total)> on_progress = {};
};

// Bytes that are read, and then worked on, at a time; the pass holds three times as many.
inline constexpr std::int64_t pass_bytes = std::int64_t{16} << 20;

// Gives `take` all bytes of every tensor; a tensor's first piece, `at` 0, comes even if it is
// empty. `rejected`, naming tensor and element, for the first number of `pass.finite` that is none;
// it ends the pass at once.
status pass_over(const tensor_index& index, const tensor_pass& pass,
                 const std::function<void(const stored_tensor& tensor, std::size_t at,
                                          std::span<const std::byte> piece)>& take);

}  // namespace weft::gpu
