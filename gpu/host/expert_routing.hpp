// Which experts the rows of a step go to, and its pairs of row and expert in the order of experts.
//
// A pair's place says where its row lies among all rows that go to some expert: expert by expert,
// so that an expert's rows are the rows of one product. Within a row, pairs are in the order of
// experts: what is summed over them has one order whatever the batch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weft::gpu {

// The experts of one row by ascending index, and their weights.
struct expert_choice {
  std::span<std::int32_t> experts;
  std::span<float> weights;
};

// Fills `choice`: the experts of the largest logits, of equal ones the lower index; weights are
// softmax over all logits, divided by their sum where `renormalise`. Computed in double; a logit
// that is not finite makes all weights NaN. Requires: no more choices than logits.
void choose_experts(std::span<const float> logits, bool renormalise, const expert_choice& choice);

class expert_routing {
 public:
  // One expert that some rows go to.
  struct visit {
    std::int32_t expert = 0;
    std::int64_t first_place = 0;
    std::int64_t rows = 0;
    std::int64_t first_part = 0;  // Free for use by whoever spreads visits over threads.
  };

  // Makes room for that much; nothing else here allocates.
  void reserve(std::int64_t rows, std::int64_t experts, std::int64_t experts_per_row);

  // Begins a step of `rows` rows. Requires: reserved.
  void start(std::int64_t rows, std::int64_t experts, std::int64_t experts_per_row);

  // Where a row's choice is written. Rows may be filled by any threads.
  expert_choice choice_of(std::int64_t row);

  // Gives every pair its place. Requires: all rows' choices are made.
  void sort();

  std::int64_t pairs() const { return rows_ * experts_per_row_; }
  std::span<visit> visits() { return visits_; }
  std::int64_t row_at(std::int64_t place) const;                    // Which row it is.
  std::span<const std::int64_t> places_of(std::int64_t row) const;  // By ascending expert.
  std::span<const float> weights_of(std::int64_t row) const;        // Likewise.

 private:
  std::int64_t rows_ = 0;
  std::int64_t experts_ = 0;
  std::int64_t experts_per_row_ = 0;
  std::vector<std::int32_t> chosen_;  // [rows, experts per row]
  std::vector<float> weights_;        // [rows, experts per row]
  std::vector<std::int64_t> places_;  // [rows, experts per row]
  std::vector<std::int64_t> row_at_;  // [pairs]
  std::vector<std::int64_t> next_;    // [experts]: the next free place
  std::vector<visit> visits_;
};

}  // namespace weft::gpu
