#include "gpu/host/expert_routing.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <catch2/catch.hpp>

namespace weft::gpu {
namespace {

constexpr unsigned seed = 137;

struct row_choice {
  std::vector<std::int32_t> experts;
  std::vector<float> weights;
};

row_choice choose(const std::vector<float>& logits, std::size_t count, bool renormalise) {
  row_choice made{.experts = std::vector<std::int32_t>(count, -1),
                  .weights = std::vector<float>(count)};
  choose_experts(logits, renormalise, {.experts = made.experts, .weights = made.weights});
  return made;
}

}  // namespace

TEST_CASE("the experts of the largest logits are chosen, by ascending index",
          "[gpu][expert_routing]") {
  const row_choice made = choose({0.5F, 3, -1, 2, 2.5F}, 3, true);
  CHECK(made.experts == std::vector<std::int32_t>{1, 3, 4});
  const double total = std::exp(3.0) + std::exp(2.0) + std::exp(2.5);
  CHECK(made.weights[0] == Approx(std::exp(3.0) / total).epsilon(1e-6));
  CHECK(made.weights[1] == Approx(std::exp(2.0) / total).epsilon(1e-6));
  CHECK(made.weights[2] == Approx(std::exp(2.5) / total).epsilon(1e-6));
}

TEST_CASE("without renormalising the weights are the softmax over all experts",
          "[gpu][expert_routing]") {
  const row_choice made = choose({1, 2, 3, 4}, 2, false);
  CHECK(made.experts == std::vector<std::int32_t>{2, 3});
  const double total = std::exp(1.0) + std::exp(2.0) + std::exp(3.0) + std::exp(4.0);
  CHECK(made.weights[0] == Approx(std::exp(3.0) / total).epsilon(1e-6));
  CHECK(made.weights[1] == Approx(std::exp(4.0) / total).epsilon(1e-6));
}

TEST_CASE("of equal logits the lower index is chosen", "[gpu][expert_routing]") {
  CHECK(choose({1, 1, 1, 1}, 2, true).experts == std::vector<std::int32_t>{0, 1});
  CHECK(choose({0, 5, 5, 7, 5}, 3, true).experts == std::vector<std::int32_t>{1, 2, 3});
  CHECK(choose({-2, -3, -2, -2}, 1, true).experts == std::vector<std::int32_t>{0});
}

TEST_CASE("one expert and all experts may be chosen", "[gpu][expert_routing]") {
  const row_choice one = choose({1, 3, 2}, 1, true);
  CHECK(one.experts == std::vector<std::int32_t>{1});
  CHECK(one.weights == std::vector<float>{1});
  const row_choice all = choose({90, -90, 2}, 3, true);
  CHECK(all.experts == std::vector<std::int32_t>{0, 1, 2});
  CHECK(all.weights[0] == 1);
}

TEST_CASE("a logit that is no number makes all weights none", "[gpu][expert_routing]") {
  for (const float bad : {std::nanf(""), INFINITY})
    for (const std::size_t at : {0, 2, 3}) {
      std::vector<float> logits = {4, 3, 2, 1};
      logits[at] = bad;
      const row_choice made = choose(logits, 2, true);
      CHECK((made.experts[0] >= 0 && made.experts[1] < 4 && made.experts[0] < made.experts[1]));
      CHECK((std::isnan(made.weights[0]) && std::isnan(made.weights[1])));
    }
}

TEST_CASE("pairs are sorted by expert, then row", "[gpu][expert_routing]") {
  INFO("seed " << seed);
  std::mt19937 random(seed);
  expert_routing routing;
  routing.reserve(50, 9, 4);
  for (const auto& [rows, experts, per_row] :
       {std::array<std::int64_t, 3>{50, 9, 4}, {1, 9, 1}, {17, 5, 5}, {3, 9, 2}}) {
    routing.start(rows, experts, per_row);
    for (std::int64_t row = 0; row < rows; ++row) {
      std::vector<float> logits;
      for (std::int64_t e = 0; e < experts; ++e)
        logits.push_back(static_cast<float>(random() % 1000) / 100);
      choose_experts(logits, true, routing.choice_of(row));
    }
    routing.sort();
    CHECK(routing.pairs() == rows * per_row);
    std::int64_t place = 0;
    std::int32_t last_expert = -1;
    for (const expert_routing::visit& visit : routing.visits()) {
      CHECK(visit.expert > last_expert);
      last_expert = visit.expert;
      CHECK(visit.first_place == place);
      CHECK(visit.rows > 0);
      std::int64_t last_row = -1;
      for (std::int64_t i = 0; i < visit.rows; ++i, ++place) {
        const std::int64_t row = routing.row_at(place);
        CHECK(row > last_row);
        last_row = row;
        const auto experts_of = routing.choice_of(row).experts;
        const auto at = std::find(experts_of.begin(), experts_of.end(), visit.expert);
        REQUIRE(at != experts_of.end());
        CHECK(routing.places_of(row)[static_cast<std::size_t>(at - experts_of.begin())] == place);
      }
    }
    CHECK(place == routing.pairs());
  }
}

}  // namespace weft::gpu
