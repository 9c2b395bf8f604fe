#include "policies/assignment/earliest_finish.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "policies/assignment/longest_first.hpp"
#include "tests/policies/cluster_values.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

using numbers = std::vector<double>;
using workers = std::vector<std::size_t>;

}  // namespace

TEST_CASE("a job goes to whoever is done with it soonest", "[policies][earliest_finish]") {
  struct row {
    std::vector<numbers> cost;
    numbers load;
    workers expected;
    numbers loads;
  };
  const std::vector<row> table = {
      {{}, {4}, {}, {4}},
      {{{9, 3}}, {0, 5}, {1}, {0, 8}},              // Fast and loaded beats slow and idle.
      {{{9, 3}}, {0, 7}, {0}, {9, 7}},              // Until it does not.
      {{{5, 5}}, {1, 1}, {0}, {6, 1}},              // A tie goes to the first.
      {{{2, 4}, {6, 12}}, {0, 0}, {1, 0}, {6, 4}},  // The longer job goes first.
      {{{3, 3}, {3, 3}}, {0, 0}, {0, 1}, {3, 3}}};
  for (const row& each : table) {
    const auto made = assign_earliest_finish(each.cost, each.load);
    CHECK(made.worker_of == each.expected);
    CHECK(made.load_ms == each.loads);
  }
}

TEST_CASE("on equal workers it is longest first", "[policies][earliest_finish]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 1000; ++round) {
    numbers load(1 + below(random, 4));
    for (double& each : load) each = below(random, 20);
    numbers cost(below(random, 9));
    std::vector<numbers> matrix;
    for (double& each : cost) {
      each = below(random, 30);
      matrix.emplace_back(load.size(), each);
    }
    const auto made = assign_earliest_finish(matrix, load);
    const auto expected = assign_longest_first(cost, load);
    REQUIRE(made.worker_of == expected.worker_of);
    REQUIRE(made.load_ms == expected.load_ms);
  }
}

}  // namespace weft
