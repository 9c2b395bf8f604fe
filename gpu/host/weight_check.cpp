#include "gpu/host/weight_check.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

#include "gpu/host/finite_floats.hpp"

namespace weft::gpu {
namespace {

// Floats that one thread takes at a time, and widens into memory of its own where it must.
constexpr std::int64_t block_floats = 65536;

std::int64_t blocks_of(std::int64_t floats) { return (floats + block_floats - 1) / block_floats; }

failure not_numbers(const std::string& name) {
  return broken("the weights in memory hold NaN or infinity (" + name +
                "); load the model again, and have the checkpoint inspected if that does not help");
}

}  // namespace

void weight_check::add(std::string name, std::span<const float> values) {
  pieces_.push_back({.name = std::move(name), .values = values});
}

status weight_check::run(const tensor_view& rows) const {
  if (!holds_numbers(rows)) return not_numbers(rows.name);
  for (const piece& each : pieces_) {
    const auto floats = static_cast<std::int64_t>(each.values.size());
    std::atomic<bool> bad = false;
    pool_.run(blocks_of(floats), [&](std::int64_t block, int) {
      const std::int64_t first = block * block_floats;
      if (!all_finite(each.values.data() + first, std::min(block_floats, floats - first)))
        bad = true;
    });
    if (bad) return not_numbers(each.name);
  }
  return {};
}

bool weight_check::holds_numbers(const tensor_view& tensor) const {
  const std::int64_t floats = tensor.elements();
  std::atomic<bool> bad = false;
  pool_.run(blocks_of(floats), [&](std::int64_t block, int) {
    thread_local std::vector<float> widened;
    const std::int64_t first = block * block_floats;
    const std::int64_t count = std::min(block_floats, floats - first);
    widened.resize(static_cast<std::size_t>(count));
    to_float32(tensor, first, widened);
    if (!all_finite(widened.data(), count)) bad = true;
  });
  return !bad;
}

}  // namespace weft::gpu
