#include "gpu/checkpoint/tensor_pass.hpp"

#include <algorithm>
#include <future>
#include <vector>

#include "gpu/checkpoint/finite.hpp"
#include "gpu/checkpoint/mapped_file.hpp"

namespace weft::gpu {
namespace {

constexpr auto batch_bytes = static_cast<std::size_t>(pass_bytes);

struct piece {
  const stored_tensor* tensor = nullptr;
  std::size_t at = 0;
  std::span<const std::byte> bytes;
};

using batch = std::vector<piece>;

// A piece ends with its tensor, or at a multiple of this from its start: never inside a number.
constexpr std::size_t piece_step = 64;

// Pieces in order, put together to batches of at most `batch_bytes`.
std::vector<batch> batches_of(const tensor_index& index) {
  std::vector<batch> all;
  std::size_t room = 0;
  for (const stored_tensor& tensor : index.tensors()) {
    std::size_t at = 0;
    do {
      if (room < piece_step) {
        all.emplace_back();
        room = batch_bytes;
      }
      const std::size_t left = tensor.bytes.size() - at;
      const std::size_t size = left <= room ? left : room / piece_step * piece_step;
      all.back().push_back({&tensor, at, tensor.bytes.subspan(at, size)});
      at += size;
      room -= size;
    } while (at < tensor.bytes.size());
  }
  return all;
}

// Reads all of `pieces` once.
status check(const batch& pieces, const tensor_pass& pass) {
  for (const piece& each : pieces) {
    const stored_tensor& tensor = *each.tensor;
    if (!tensor.type || !pass.finite.contains(tensor.name)) continue;
    const number_memory memory{.type = *tensor.type, .bytes = each.bytes};
    const auto bad = find_not_finite(std::span(&memory, 1), 1);
    if (bad)
      return not_finite(tensor.file, tensor.name,
                        static_cast<std::int64_t>(each.at) / bytes_of(*tensor.type) + bad->element);
  }
  return {};
}

}  // namespace

status pass_over(const tensor_index& index, const tensor_pass& pass,
                 const std::function<void(const stored_tensor&, std::size_t,
                                          std::span<const std::byte>)>& take) {
  const std::vector<batch> batches = batches_of(index);
  std::int64_t total = 0;
  for (const stored_tensor& tensor : index.tensors())
    total += static_cast<std::int64_t>(tensor.bytes.size());
  const auto expect = [&](std::size_t which) {
    if (which >= batches.size()) return;
    for (const piece& each : batches[which]) expect_reading(each.bytes);
  };
  // Where there is no thread to be had, the check is made when its answer is wanted.
  const auto begin = [&](std::size_t which) {
    expect(which + 1);
    return std::async([&, which] { return check(batches[which], pass); });
  };
  std::int64_t done = 0;
  std::future<status> ahead;
  if (!batches.empty()) ahead = begin(0);
  for (std::size_t i = 0; i < batches.size(); ++i) {
    if (status checked = ahead.get(); !checked) return checked;
    if (i + 1 < batches.size()) ahead = begin(i + 1);
    for (const piece& each : batches[i]) {
      take(*each.tensor, each.at, each.bytes);
      drop_pages(each.bytes);
      done += static_cast<std::int64_t>(each.bytes.size());
    }
    if (pass.on_progress) pass.on_progress(done, total);
  }
  return {};
}

}  // namespace weft::gpu
