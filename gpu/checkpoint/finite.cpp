#include "gpu/checkpoint/finite.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <system_error>
#include <thread>

namespace weft::gpu {
namespace {

// A NaN or an infinity has all exponent bits set, so the raw words tell.
//
// Eight bytes of equal elements at once. `exponents` masks their exponent bits; adding `step` (the
// lowest exponent bit) carries into an element's sign bit exactly if all of them were set.
struct lane_masks {
  std::uint64_t exponents;
  std::uint64_t step;
  std::uint64_t carries;
};

constexpr lane_masks masks_of(element_type type) {
  switch (type) {
    case element_type::bfloat16:
      return {0x7f807f807f807f80u, 0x0080008000800080u, 0x8000800080008000u};
    case element_type::float16:
      return {0x7c007c007c007c00u, 0x0400040004000400u, 0x8000800080008000u};
    case element_type::float32: break;
  }
  return {0x7f8000007f800000u, 0x0080000000800000u, 0x8000000080000000u};
}

bool any_bad(std::span<const std::byte> bytes, const lane_masks& masks) {
  std::uint64_t seen = 0;
  std::size_t i = 0;
  for (; i + 8 <= bytes.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + i, 8);
    seen |= (word & masks.exponents) + masks.step;
  }
  if (i < bytes.size()) {
    std::uint64_t word = 0;  // Zeros behind the last element are finite.
    std::memcpy(&word, bytes.data() + i, bytes.size() - i);
    seen |= (word & masks.exponents) + masks.step;
  }
  return (seen & masks.carries) != 0;
}

// The first bad element of `bytes`. Requires: there is one.
std::int64_t first_bad(std::span<const std::byte> bytes, element_type type) {
  const auto width = static_cast<std::size_t>(bytes_of(type));
  std::size_t i = 0;
  while (!any_bad(bytes.subspan(i, width), masks_of(type))) i += width;
  return static_cast<std::int64_t>(i / width);
}

struct block {
  std::size_t part;
  std::size_t first_byte;
};

// Large enough to hide a block's overhead, small enough to share out evenly.
constexpr std::size_t block_bytes = std::size_t{4} << 20;

std::vector<block> all_blocks(std::span<const number_memory> parts) {
  std::vector<block> blocks;
  for (std::size_t part = 0; part < parts.size(); ++part)
    for (std::size_t first = 0; first < parts[part].bytes.size(); first += block_bytes)
      blocks.push_back({part, first});
  return blocks;
}

// The index of the first block with a bad element, or nothing. Every thread takes the next block.
std::optional<std::size_t> find_bad_block(std::span<const number_memory> parts,
                                          const std::vector<block>& blocks, int threads) {
  std::atomic<std::size_t> next = 0;
  std::atomic<std::size_t> worst = blocks.size();
  const auto work = [&] {
    for (;;) {
      const std::size_t i = next.fetch_add(1);
      if (i >= worst.load()) return;  // Later blocks cannot be the first bad one.
      const block& mine = blocks[i];
      const number_memory& part = parts[mine.part];
      const std::size_t size = std::min(block_bytes, part.bytes.size() - mine.first_byte);
      if (!any_bad(part.bytes.subspan(mine.first_byte, size), masks_of(part.type))) continue;
      std::size_t known = worst.load();
      while (i < known && !worst.compare_exchange_weak(known, i)) {
      }
    }
  };
  std::vector<std::thread> helpers;
  try {
    for (int i = 1; i < threads; ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had: those that run, and this one, do the work.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
  if (worst == blocks.size()) return std::nullopt;
  return worst.load();
}

}  // namespace

std::optional<bad_number> find_not_finite(std::span<const number_memory> parts, int threads) {
  constexpr int threads_max = 8;  // Memory is saturated long before.
  if (threads <= 0) {
    threads = std::clamp(static_cast<int>(std::thread::hardware_concurrency()), 1, threads_max);
  }
  const std::vector<block> blocks = all_blocks(parts);
  const std::optional<std::size_t> found = find_bad_block(parts, blocks, threads);
  if (!found.has_value()) return std::nullopt;
  const block& bad = blocks[*found];
  const number_memory& part = parts[bad.part];
  return bad_number{.part = bad.part,
                    .element = static_cast<std::int64_t>(bad.first_byte) / bytes_of(part.type) +
                               first_bad(part.bytes.subspan(bad.first_byte), part.type)};
}

failure not_finite(const std::string& place, const std::string& tensor, std::int64_t element) {
  return rejected((place.empty() ? "" : place + ": ") + "tensor \"" + tensor +
                  "\" is not finite at element " + std::to_string(element) +
                  "; the checkpoint is damaged");
}

status check_finite(const model_weights& weights, int threads) {
  std::vector<const tensor_view*> tensors;
  std::vector<number_memory> memory;
  each_tensor(weights, [&](const tensor_view& tensor) {
    tensors.push_back(&tensor);
    memory.push_back({.type = tensor.type, .bytes = tensor.bytes});
  });
  const std::optional<bad_number> bad = find_not_finite(memory, threads);
  if (!bad) return {};
  const tensor_view& tensor = *tensors[bad->part];
  return not_finite("", tensor.name, tensor.first + bad->element);
}

}  // namespace weft::gpu
