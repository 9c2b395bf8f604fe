#include "policies/cost/cost_model.hpp"

#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <catch2/catch.hpp>

#include "tests/test_seed.hpp"

namespace weft {
namespace {

constexpr cost_coefficients truth{.token_ms = 0.4, .pair_ms = 2e-4};

prefill_work random_work(std::mt19937& random) {
  prefill_work work;
  const unsigned runs = 1 + random() % 4;
  for (unsigned run = 0; run < runs; ++run)
    work += work_of(1 + static_cast<std::int64_t>(random() % 4000),
                    static_cast<std::int64_t>(random() % 4000));
  return work;
}

cost_model taught(const cost_coefficients& by, int steps, std::mt19937& random,
                  cost_model from = {}) {
  for (int step = 0; step < steps; ++step) {
    const prefill_work work = random_work(random);
    from = observe(from, work, predict_ms(by, work));
  }
  return from;
}

bool sane(const cost_model& model) {
  const cost_coefficients& by = model.coefficients;
  return std::isfinite(by.token_ms) && std::isfinite(by.pair_ms) && by.token_ms >= 0 &&
         by.pair_ms >= 0 && by.token_ms + by.pair_ms > 0;
}

}  // namespace

TEST_CASE("n tokens cost a n + b n^2", "[policies][cost_model]") {
  CHECK(predict_ms({.token_ms = 2, .pair_ms = 3}, work_of(10)) == 20 + 300);
  CHECK(predict_ms({.token_ms = 2, .pair_ms = 3}, work_of(0)) == 0);
}

TEST_CASE("tokens cut into runs cost what they cost at once, and segments add up",
          "[policies][cost_model]") {
  prefill_work cut = work_of(30);
  cut += work_of(70, 30);
  CHECK(cut == work_of(100));
  prefill_work set = work_of(30);
  set += work_of(70);
  CHECK(predict_ms(truth, set) ==
        Approx(predict_ms(truth, work_of(30)) + predict_ms(truth, work_of(70))));
  CHECK(predict_ms(truth, set) < predict_ms(truth, cut));
}

TEST_CASE("before the first observation costs are positive and grow faster than length",
          "[policies][cost_model]") {
  const cost_model fresh;
  CHECK(sane(fresh));
  const double one = predict_ms(fresh.coefficients, work_of(1000));
  CHECK(one > 0);
  CHECK(predict_ms(fresh.coefficients, work_of(2000)) > 2 * one);
}

TEST_CASE("one observation sets the scale and keeps the shape", "[policies][cost_model]") {
  const cost_model fresh;
  const prefill_work work = work_of(512);
  const cost_model next = observe(fresh, work, 1000);
  CHECK(predict_ms(next.coefficients, work) == Approx(1000));
  CHECK(next.coefficients.pair_ms / next.coefficients.token_ms ==
        Approx(fresh.coefficients.pair_ms / fresh.coefficients.token_ms));
}

TEST_CASE("steps that all look alike change the scale alone", "[policies][cost_model]") {
  cost_model model;
  for (int step = 0; step < 500; ++step) model = observe(model, work_of(256), 80);
  CHECK(predict_ms(model.coefficients, work_of(256)) == Approx(80));
  CHECK(model.coefficients.pair_ms / model.coefficients.token_ms == Approx(1e-4));
}

TEST_CASE("the coefficients of exact measurements are found", "[policies][cost_model]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (const cost_coefficients& by :
       {truth, cost_coefficients{.token_ms = 3, .pair_ms = 0}, cost_coefficients{0.0, 1e-3}}) {
    CAPTURE(by.token_ms, by.pair_ms);
    const cost_model model = taught(by, 300, random);
    for (const std::int64_t tokens : {10, 500, 5000})
      CHECK(predict_ms(model.coefficients, work_of(tokens, 100)) ==
            Approx(predict_ms(by, work_of(tokens, 100))).epsilon(0.02));
  }
}

TEST_CASE("noise is averaged", "[policies][cost_model]") {
  const unsigned seed = test_seed(2);
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> noise(0.8, 1.2);
  cost_model model;
  for (int step = 0; step < 500; ++step) {
    const prefill_work work = random_work(random);
    model = observe(model, work, predict_ms(truth, work) * noise(random));
  }
  CHECK(predict_ms(model.coefficients, work_of(2000)) ==
        Approx(predict_ms(truth, work_of(2000))).epsilon(0.3));
}

TEST_CASE("one outlier hardly moves a model that knows something", "[policies][cost_model]") {
  const unsigned seed = test_seed(3);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const cost_model before = taught(truth, 100, random);
  for (const double factor : {1e-6, 1e-2, 10.0, 1e6}) {
    for (const std::int64_t tokens : {64, 500, 8000}) {
      CAPTURE(factor, tokens);
      const prefill_work odd = work_of(tokens);
      const cost_model after = observe(before, odd, predict_ms(truth, odd) * factor);
      for (const std::int64_t length : {500, 1000, 4000})
        CHECK(predict_ms(after.coefficients, work_of(length)) ==
              Approx(predict_ms(truth, work_of(length))).epsilon(0.25));
    }
  }
}

TEST_CASE("a first measurement that was an outlier is soon forgotten", "[policies][cost_model]") {
  const unsigned seed = test_seed(4);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (const double factor : {1e-3, 1e3}) {
    CAPTURE(factor);
    const prefill_work first = work_of(500);
    const cost_model wrong = observe({}, first, predict_ms(truth, first) * factor);
    const cost_model model = taught(truth, 40, random, wrong);
    CHECK(predict_ms(model.coefficients, work_of(2000)) ==
          Approx(predict_ms(truth, work_of(2000))).epsilon(0.25));
  }
}

TEST_CASE("a machine that changes its speed is followed", "[policies][cost_model]") {
  const unsigned seed = test_seed(5);
  CAPTURE(seed);
  std::mt19937 random(seed);
  const cost_coefficients slower{.token_ms = 10 * truth.token_ms, .pair_ms = 10 * truth.pair_ms};
  const cost_model model = taught(slower, 40, random, taught(truth, 200, random));
  CHECK(predict_ms(model.coefficients, work_of(2000)) ==
        Approx(predict_ms(slower, work_of(2000))).epsilon(0.25));
}

TEST_CASE("long steps among many short ones are learnt", "[policies][cost_model]") {
  // The prior's shape is far off here, so a long step looks like an outlier at first.
  const cost_coefficients steep{.token_ms = 0.1, .pair_ms = 1e-2};
  cost_model model;
  for (int step = 0; step < 300; ++step) {
    const prefill_work work = work_of(step % 5 == 4 ? 4000 : 64);
    model = observe(model, work, predict_ms(steep, work));
  }
  CHECK(predict_ms(model.coefficients, work_of(4000)) ==
        Approx(predict_ms(steep, work_of(4000))).epsilon(0.05));
}

TEST_CASE("what is no measurement changes nothing", "[policies][cost_model]") {
  const double infinite = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const cost_model before = observe({}, work_of(100), 50);
  for (const double ms : {0.0, -1.0, 1e-7, 1e10, infinite, -infinite, nan}) {
    CAPTURE(ms);
    CHECK(observe(before, work_of(100), ms).weight == before.weight);
  }
  for (const prefill_work& work :
       {prefill_work{}, prefill_work{-5, 25}, prefill_work{nan, 1}, prefill_work{1, nan},
        prefill_work{1, infinite}, prefill_work{infinite, 1}, prefill_work{5, -1}})
    CHECK(observe(before, work, 50).weight == before.weight);
}

TEST_CASE("coefficients stay finite and not negative whatever is observed",
          "[policies][cost_model]") {
  const unsigned seed = test_seed(6);
  CAPTURE(seed);
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> exponent(-8, 11);
  for (int round = 0; round < 200; ++round) {
    cost_model model;
    for (int step = 0; step < 200; ++step) {
      const prefill_work work = random() % 3 == 0 ? prefill_work{std::pow(10, exponent(random)),
                                                                 std::pow(10, 2 * exponent(random))}
                                                  : random_work(random);
      model = observe(model, work, std::pow(10, exponent(random)));
      REQUIRE(sane(model));
      REQUIRE(std::isfinite(predict_ms(model.coefficients, work_of(1 << 24))));
    }
  }
}

}  // namespace weft
