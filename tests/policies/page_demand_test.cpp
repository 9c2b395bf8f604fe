#include "policies/placement/page_demand.hpp"

#include <catch2/catch.hpp>

namespace weft {

TEST_CASE("an entry takes whole pages", "[policies][page_demand]") {
  CHECK(entry_pages(0, 64) == 0);
  CHECK(entry_pages(1, 64) == 1);
  CHECK(entry_pages(64, 64) == 1);
  CHECK(entry_pages(65, 64) == 2);
}

TEST_CASE("short runs share a page and a run that does not fit starts a fresh one",
          "[policies][page_demand]") {
  CHECK(overlay_pages({}, 64) == 0);
  CHECK(overlay_pages({8, 16, 8, 16, 16}, 64) == 1);
  CHECK(overlay_pages({8, 16, 8, 16, 17}, 64) == 2);
  CHECK(overlay_pages({60, 100}, 64) == 3);
  CHECK(overlay_pages({100, 28, 1}, 64) == 3);
}

}  // namespace weft
