#include "policies/assignment/longest_first.hpp"

#include <random>

#include <catch2/catch.hpp>

#include "policies/assignment/round_robin.hpp"
#include "tests/test_seed.hpp"

namespace weft {
namespace {

using workers = std::vector<std::size_t>;
using numbers = std::vector<double>;

// The least makespan there is, by trying every assignment that can still be better.
double best_makespan(const numbers& cost, numbers& load, std::size_t job, double best) {
  const double now = *std::max_element(load.begin(), load.end());
  if (now >= best) return best;
  if (job == cost.size()) return now;
  for (double& worker : load) {
    const double before = worker;
    worker += cost[job];
    best = best_makespan(cost, load, job + 1, best);
    worker = before;
  }
  return best;
}

struct case_of_jobs {
  numbers cost;
  numbers load;
};

// Whole numbers, so that sums are exact.
case_of_jobs random_case(std::mt19937& random, bool idle) {
  case_of_jobs made;
  made.load.resize(1 + random() % 4);
  for (double& load : made.load) load = idle ? 0 : static_cast<double>(random() % 20);
  made.cost.resize(random() % 9);
  for (double& cost : made.cost) cost = static_cast<double>(random() % 30);
  return made;
}

double best_of(const case_of_jobs& jobs) {
  numbers load = jobs.load;
  return best_makespan(jobs.cost, load, 0, 1e9);
}

}  // namespace

TEST_CASE("the longest job goes to whoever is done soonest", "[policies][longest_first]") {
  struct row {
    numbers cost;
    numbers load;
    workers expected;
    double makespan;
  };
  const std::vector<row> table = {
      {{}, {0, 7}, {}, 7},
      {{5}, {3, 0}, {1}, 5},
      {{1, 5, 3}, {0, 0}, {1, 0, 1}, 5},
      {{2, 2, 2}, {0, 0}, {0, 1, 0}, 4},  // Equal jobs in order, equal workers first to last.
      {{7, 7, 6, 6, 5, 4, 4, 4}, {0, 0, 0}, {0, 1, 2, 2, 0, 1, 1, 0}, 16},
      {{1, 1, 1}, {0, 2, 9}, {0, 0, 0}, 9},  // A tie of loads 2 and 2 goes to the first.
      {{0, 0}, {0}, {0, 0}, 0}};
  for (const row& each : table) {
    const auto made = assign_longest_first(each.cost, each.load);
    CHECK(made.worker_of == each.expected);
    CHECK(made.makespan_ms() == each.makespan);
  }
}

TEST_CASE("every job is assigned once and loads are what was given and had",
          "[policies][longest_first]") {
  const unsigned seed = test_seed(1);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 1000; ++round) {
    const case_of_jobs jobs = random_case(random, false);
    for (const auto& made :
         {assign_longest_first(jobs.cost, jobs.load), assign_round_robin(jobs.cost, jobs.load)}) {
      REQUIRE(made.worker_of.size() == jobs.cost.size());
      numbers load = jobs.load;
      for (std::size_t job = 0; job < jobs.cost.size(); ++job) {
        REQUIRE(made.worker_of[job] < load.size());
        load[made.worker_of[job]] += jobs.cost[job];
      }
      REQUIRE(load == made.load_ms);
    }
  }
}

TEST_CASE("on idle workers the makespan is within 4/3 - 1/(3m) of the best",
          "[policies][longest_first]") {
  const unsigned seed = test_seed(2);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    const case_of_jobs jobs = random_case(random, true);
    const auto m = static_cast<double>(jobs.load.size());
    const double best = best_of(jobs);
    const double found = assign_longest_first(jobs.cost, jobs.load).makespan_ms();
    REQUIRE(found >= best);
    REQUIRE(found <= best * (4.0 / 3 - 1 / (3 * m)) + 1e-9);
  }
}

TEST_CASE("on loaded workers the makespan is within 3/2 - 1/(2m) of the best",
          "[policies][longest_first]") {
  const unsigned seed = test_seed(3);
  CAPTURE(seed);
  std::mt19937 random(seed);
  for (int round = 0; round < 500; ++round) {
    const case_of_jobs jobs = random_case(random, false);
    const auto m = static_cast<double>(jobs.load.size());
    const double found = assign_longest_first(jobs.cost, jobs.load).makespan_ms();
    REQUIRE(found <= best_of(jobs) * (1.5 - 1 / (2 * m)) + 1e-9);
  }
}

TEST_CASE("the known worst case of the rule reaches its bound", "[policies][longest_first]") {
  // 2m + 1 jobs of 2m-1, 2m-1, ..., m+1, m+1, m, m, m on m workers: 4m - 1 instead of 3m.
  const auto made = assign_longest_first({5, 5, 4, 4, 3, 3, 3}, {0, 0, 0});
  CHECK(made.makespan_ms() == 11);
  CHECK(best_of({{5, 5, 4, 4, 3, 3, 3}, {0, 0, 0}}) == 9);
}

}  // namespace weft
