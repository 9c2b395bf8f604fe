#include "gpu/door/sampling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu {
namespace {

std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                    std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = 0xD2511F53ULL * counter[0];
    const std::uint64_t right = 0xCD9E8D57ULL * counter[2];
    counter = {static_cast<std::uint32_t>(right >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(right),
               static_cast<std::uint32_t>(left >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(left)};
    key[0] += 0x9E3779B9U;
    key[1] += 0xBB67AE85U;
  }
  return counter;
}

using candidate = draw_memory::candidate;

// Larger logits first, lower ids first among equals: one order on every machine.
bool before(const candidate& a, const candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

void sort_candidates(std::span<const float> logits, std::int64_t top_k,
                     std::vector<candidate>& all) {
  all.resize(logits.size());
  for (std::size_t i = 0; i < logits.size(); ++i) all[i] = {logits[i], static_cast<token_id>(i)};
  const auto kept = top_k > 0 ? std::min(static_cast<std::size_t>(top_k), all.size()) : all.size();
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    before);
  all.resize(kept);
}

}  // namespace

double random_unit(std::uint64_t seed, std::uint64_t index) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto bits = philox({low(index), high(index), 0, 0}, {low(seed), high(seed)});
  const std::uint64_t word = (static_cast<std::uint64_t>(bits[0]) << 32) | bits[1];
  return static_cast<double>(word >> 11) * 0x1p-53;
}

status check_sampling(const sampling& wanted) {
  if (!(wanted.temperature >= 0) || std::isinf(wanted.temperature))
    return rejected("temperature must be a number of at least 0, not " +
                    std::to_string(wanted.temperature));
  if (wanted.top_k < 0) return rejected("top_k must not be negative");
  if (!(wanted.top_p > 0 && wanted.top_p <= 1))
    return rejected("top_p must lie in (0, 1], not " + std::to_string(wanted.top_p));
  return {};
}

token_id largest_logit(std::span<const float> logits) {
  return static_cast<token_id>(std::max_element(logits.begin(), logits.end()) - logits.begin());
}

token_id draw_token(std::span<const float> logits, const sampling& how, draw_memory& memory) {
  WEFT_ASSERT(!logits.empty());
  if (how.temperature <= 0) return largest_logit(logits);
  sort_candidates(logits, how.top_k, memory.candidates);
  const std::vector<candidate>& candidates = memory.candidates;
  std::vector<double>& weights = memory.weights;
  weights.clear();
  double total = 0;
  for (const candidate& each : candidates) {
    const double distance =
        static_cast<double>(each.logit) - static_cast<double>(candidates[0].logit);
    weights.push_back(std::exp(distance / how.temperature));
    total += weights.back();
  }
  double kept = 0;
  std::size_t count = 0;
  while (count < weights.size() && (count == 0 || kept < how.top_p * total))
    kept += weights[count++];
  double left = random_unit(how.seed, static_cast<std::uint64_t>(how.index)) * kept;
  for (std::size_t i = 0; i < count; ++i) {
    left -= weights[i];
    if (left < 0) return candidates[i].id;
  }
  return candidates[count - 1].id;
}

double log_probability(std::span<const float> logits, token_id target) {
  const double top = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (const float logit : logits) total += std::exp(static_cast<double>(logit) - top);
  return static_cast<double>(logits[static_cast<std::size_t>(target)]) - top - std::log(total);
}

}  // namespace weft::gpu
