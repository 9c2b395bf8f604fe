#include "gpu/host/expert_routing.hpp"

#include <algorithm>
#include <cmath>

#include "policies/vocabulary/assert.hpp"

namespace weft::gpu {
namespace {

template <class Value>
void grow(std::vector<Value>& buffer, std::int64_t count) {
  if (static_cast<std::int64_t>(buffer.size()) < count)
    buffer.resize(static_cast<std::size_t>(count));
}

template <class Value>
std::span<Value> row_of(std::vector<Value>& buffer, std::int64_t row, std::int64_t width) {
  return std::span(buffer).subspan(static_cast<std::size_t>(row * width),
                                   static_cast<std::size_t>(width));
}

// The indexes of the largest logits, largest first; of equal ones the lower index first.
void take_largest(std::span<const float> logits, std::span<std::int32_t> chosen) {
  std::size_t count = 0;
  const auto logit_of = [&](std::int32_t e) { return logits[static_cast<std::size_t>(e)]; };
  for (std::int32_t e = 0; e < static_cast<std::int32_t>(logits.size()); ++e) {
    if (count == chosen.size() && !(logit_of(e) > logit_of(chosen[count - 1]))) continue;
    std::size_t at = count < chosen.size() ? count++ : count - 1;
    for (; at > 0 && logit_of(e) > logit_of(chosen[at - 1]); --at) chosen[at] = chosen[at - 1];
    chosen[at] = e;
  }
}

}  // namespace

void choose_experts(std::span<const float> logits, bool renormalise, const expert_choice& choice) {
  WEFT_ASSERT(!choice.experts.empty() && choice.experts.size() <= logits.size());
  take_largest(logits, choice.experts);
  const double highest = logits[static_cast<std::size_t>(choice.experts.front())];
  std::sort(choice.experts.begin(), choice.experts.end());
  double total = 0;
  for (const float logit : logits) total += std::exp(logit - highest);
  const auto weight_of = [&](std::int32_t e) {
    return std::exp(logits[static_cast<std::size_t>(e)] - highest) / total;
  };
  double sum = 1;
  if (renormalise) {
    sum = 0;
    for (const std::int32_t e : choice.experts) sum += weight_of(e);
  }
  for (std::size_t i = 0; i < choice.experts.size(); ++i)
    choice.weights[i] = static_cast<float>(weight_of(choice.experts[i]) / sum);
}

void expert_routing::reserve(std::int64_t rows, std::int64_t experts,
                             std::int64_t experts_per_row) {
  grow(chosen_, rows * experts_per_row);
  grow(weights_, rows * experts_per_row);
  grow(places_, rows * experts_per_row);
  grow(row_at_, rows * experts_per_row);
  grow(next_, experts);
  visits_.reserve(static_cast<std::size_t>(experts));
}

void expert_routing::start(std::int64_t rows, std::int64_t experts, std::int64_t experts_per_row) {
  WEFT_ASSERT(rows * experts_per_row <= static_cast<std::int64_t>(chosen_.size()));
  WEFT_ASSERT(experts <= static_cast<std::int64_t>(next_.size()));
  rows_ = rows;
  experts_ = experts;
  experts_per_row_ = experts_per_row;
  visits_.clear();
}

expert_choice expert_routing::choice_of(std::int64_t row) {
  return {.experts = row_of(chosen_, row, experts_per_row_),
          .weights = row_of(weights_, row, experts_per_row_)};
}

void expert_routing::sort() {
  // Counts by expert, then first places, then places in the order of rows.
  std::fill_n(next_.begin(), experts_, 0);
  const auto next_of = [&](std::int32_t expert) -> std::int64_t& {
    return next_[static_cast<std::size_t>(expert)];
  };
  for (std::int64_t row = 0; row < rows_; ++row)
    for (const std::int32_t expert : choice_of(row).experts) ++next_of(expert);
  std::int64_t place = 0;
  for (std::int32_t expert = 0; expert < experts_; ++expert) {
    const std::int64_t visitors = next_of(expert);
    if (visitors > 0) visits_.push_back({.expert = expert, .first_place = place, .rows = visitors});
    next_of(expert) = place;
    place += visitors;
  }
  for (std::int64_t row = 0; row < rows_; ++row) {
    const std::span<std::int64_t> places = row_of(places_, row, experts_per_row_);
    const std::span<std::int32_t> experts = choice_of(row).experts;
    for (std::size_t i = 0; i < experts.size(); ++i) {
      places[i] = next_of(experts[i])++;
      row_at_[static_cast<std::size_t>(places[i])] = row;
    }
  }
}

std::int64_t expert_routing::row_at(std::int64_t place) const {
  return row_at_[static_cast<std::size_t>(place)];
}

std::span<const std::int64_t> expert_routing::places_of(std::int64_t row) const {
  return std::span(places_).subspan(static_cast<std::size_t>(row * experts_per_row_),
                                    static_cast<std::size_t>(experts_per_row_));
}

std::span<const float> expert_routing::weights_of(std::int64_t row) const {
  return std::span(weights_).subspan(static_cast<std::size_t>(row * experts_per_row_),
                                     static_cast<std::size_t>(experts_per_row_));
}

}  // namespace weft::gpu
