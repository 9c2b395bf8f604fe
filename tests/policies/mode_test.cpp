#include "policies/vocabulary/mode.hpp"

#include <catch2/catch.hpp>

namespace weft {

TEST_CASE("every mode is found again by its name", "[policies][mode]") {
  for (const reuse_mode mode : all_modes) {
    const auto found = parse_mode(traits_of(mode).name);
    REQUIRE(found.ok());
    CHECK(*found == mode);
  }
}

TEST_CASE("an unknown mode is refused by name, with the known ones", "[policies][mode]") {
  const auto found = parse_mode("stiched");
  REQUIRE_FALSE(found.ok());
  CHECK(found.error().kind == failure_kind::rejected);
  CHECK(found.error().message.find("stiched") != std::string::npos);
  CHECK(found.error().message.find("stitched") != std::string::npos);
}

TEST_CASE("a mode's default seam drops the parts it does not have", "[policies][mode]") {
  const seam profile{.head_tokens = 8, .tail_tokens = 16};
  CHECK(default_seam(reuse_mode::stitched, profile) == profile);
  CHECK(default_seam(reuse_mode::transition_rope_recompute, profile) == seam{8, 0});
  CHECK(default_seam(reuse_mode::transition_rope, profile) == seam{0, 0});
  CHECK(default_seam(reuse_mode::full_recompute, profile) == seam{0, 0});
}

TEST_CASE("a head must cover the convolution or be absent", "[policies][mode]") {
  CHECK(check_seam({0, 0}, 4).ok());
  CHECK(check_seam({3, 0}, 4).ok());
  CHECK_FALSE(check_seam({2, 0}, 4).ok());
  CHECK(check_seam({2, 0}, 3).ok());
  CHECK_FALSE(check_seam({-1, 0}, 4).ok());
  CHECK_FALSE(check_seam({8, -1}, 4).ok());
}

}  // namespace weft
