#include "policies/assignment/round_robin.hpp"

#include <catch2/catch.hpp>

namespace weft {

TEST_CASE("jobs go to workers in turn, whatever they cost", "[policies][round_robin]") {
  const auto made = assign_round_robin({9, 1, 1, 1, 1}, {0, 0, 5});
  CHECK(made.worker_of == std::vector<std::size_t>{0, 1, 2, 0, 1});
  CHECK(made.load_ms == std::vector<double>{10, 2, 6});
  CHECK(made.makespan_ms() == 10);
}

TEST_CASE("the turn begins where it is told to", "[policies][round_robin]") {
  CHECK(assign_round_robin({1, 1, 1}, {0, 0}, 1).worker_of == std::vector<std::size_t>{1, 0, 1});
  CHECK(assign_round_robin({}, {4}).worker_of.empty());
}

}  // namespace weft
