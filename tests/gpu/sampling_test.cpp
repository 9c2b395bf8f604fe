#include "gpu/door/sampling.hpp"

#include <cmath>
#include <map>
#include <set>
#include <vector>

#include <catch2/catch.hpp>

namespace weft::gpu {
namespace {

token_id draw(const std::vector<float>& logits, const sampling& how) {
  draw_memory memory;
  return draw_token(logits, how, memory);
}

}  // namespace

TEST_CASE("random numbers are a function of seed and index alone", "[gpu][sampling]") {
  // Philox 4x32-10 of key 0 and counter 0 begins 6627e8d5 e169c58d (Salmon et al., known answers).
  const double expected = static_cast<double>(0x6627e8d5e169c58dULL >> 11) * 0x1p-53;
  CHECK(random_unit(0, 0) == expected);
  std::set<double> seen;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    const double u = random_unit(42, i);
    CHECK((u >= 0 && u < 1));
    seen.insert(u);
  }
  CHECK(seen.size() == 1000);
}

TEST_CASE("temperature 0 takes the largest logit, the lowest id among equals", "[gpu][sampling]") {
  CHECK(draw({1, 3, 2, 3}, {}) == 1);
  CHECK(draw({1, 3, 2, 3}, {.temperature = 1e-30}) == 1);
}

TEST_CASE("drawn tokens follow the softmax at their temperature", "[gpu][sampling]") {
  const std::vector<float> logits = {0, 1, 2};
  std::map<token_id, int> counts;
  const int draws = 20000;
  for (int i = 0; i < draws; ++i) ++counts[draw(logits, {.temperature = 2, .seed = 5, .index = i})];
  const double total = 1 + std::exp(0.5) + std::exp(1.0);
  CHECK(counts[0] / double{draws} == Approx(1 / total).margin(0.01));
  CHECK(counts[1] / double{draws} == Approx(std::exp(0.5) / total).margin(0.01));
  CHECK(counts[2] / double{draws} == Approx(std::exp(1.0) / total).margin(0.01));
}

TEST_CASE("a draw does not depend on what was drawn before in the same memory", "[gpu][sampling]") {
  const std::vector<float> logits = {0, 1, 2, 3};
  draw_memory memory;
  for (int i = 0; i < 100; ++i) {
    draw_token(std::vector<float>(9, 1.0F), {.temperature = 3, .index = i}, memory);
    const sampling how{.temperature = 5, .top_k = i % 5, .seed = 1, .index = i};
    CHECK(draw_token(logits, how, memory) == draw(logits, how));
  }
}

TEST_CASE("top_k and top_p cut the tail", "[gpu][sampling]") {
  const std::vector<float> logits = {0, 1, 2, 3};
  for (int i = 0; i < 500; ++i) {
    CHECK(draw(logits, {.temperature = 5, .top_k = 2, .seed = 1, .index = i}) >= 2);
    CHECK(draw(logits, {.temperature = 1, .top_p = 0.5, .seed = 1, .index = i}) == 3);
  }
}

TEST_CASE("sampling that makes no sense is refused by name", "[gpu][sampling]") {
  CHECK(check_sampling({}).ok());
  CHECK_FALSE(check_sampling({.temperature = -1}).ok());
  CHECK_FALSE(check_sampling({.temperature = std::nan("")}).ok());
  CHECK_FALSE(check_sampling({.top_k = -1}).ok());
  CHECK_FALSE(check_sampling({.top_p = 0}).ok());
  CHECK_FALSE(check_sampling({.top_p = 1.5}).ok());
}

TEST_CASE("log probabilities sum to one", "[gpu][sampling]") {
  const std::vector<float> logits = {-3, 100, 99, 0};
  double total = 0;
  for (token_id id = 0; id < 4; ++id) total += std::exp(log_probability(logits, id));
  CHECK(total == Approx(1));
  CHECK(log_probability(logits, 2) == Approx(-1 - std::log(1 + std::exp(-1.0))));
}

}  // namespace weft::gpu
