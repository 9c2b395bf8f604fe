#include "gpu/door/overlay.hpp"

#include <catch2/catch.hpp>

namespace weft::gpu {

TEST_CASE("short runs share a page, a run that does not fit starts a fresh one", "[gpu][overlay]") {
  unit_pool pages("pages", 10);
  sequence target;
  REQUIRE(reserve_overlay(pages, target, {27, 8, 16, 20, 64, 1, 130}).ok());
  std::vector<std::pair<std::size_t, std::int32_t>> places;
  for (const overlay_run& run : target.reserved) places.emplace_back(run.first_page, run.offset);
  const std::vector<std::pair<std::size_t, std::int32_t>> expected = {
      {0, 0}, {0, 27}, {0, 35}, {1, 0}, {2, 0}, {3, 0}, {4, 0}};
  CHECK(places == expected);
  CHECK(target.pages.size() == 7);
  REQUIRE(reserve_overlay(pages, target, {60}).ok());
  CHECK(target.reserved.back().first_page == 6);
  CHECK(target.reserved.back().offset == 2);
}

TEST_CASE("a reservation that does not fit leaves everything as it was", "[gpu][overlay]") {
  unit_pool pages("pages", 3);
  sequence target;
  REQUIRE(reserve_overlay(pages, target, {10}).ok());
  const auto refused = reserve_overlay(pages, target, {60, 64, 64});
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().kind == failure_kind::overloaded);
  CHECK(pages.counts().free == 2);
  CHECK(target.reserved.size() == 1);
  CHECK(target.pages.size() == 1);
}

}  // namespace weft::gpu
