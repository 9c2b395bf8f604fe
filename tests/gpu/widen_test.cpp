#include "gpu/reference/widen.hpp"

#include <catch2/catch.hpp>

#include "tests/gpu/checkpoint_writer.hpp"

namespace weft::gpu::reference {
namespace {

using namespace gpu::testing;

TEST_CASE("a tensor widens to rows and the rest, exactly", "[gpu][widen]") {
  const auto type = GENERATE(element_type::bfloat16, element_type::float16, element_type::float32);
  const written_tensor written = make_tensor("t", type, {2, 1, 3}, {1, -2, 0.5f, 4, 0, -0.25f});
  const matrix wide = widen({"t", type, written.dims, std::as_bytes(std::span(written.bytes))});
  REQUIRE(wide.rows() == 2);
  REQUIRE(wide.columns() == 3);
  CHECK(wide.at(0, 1) == -2);
  CHECK(wide.at(1, 2) == -0.25);
}

TEST_CASE("a vector widens to one row", "[gpu][widen]") {
  const written_tensor written = make_tensor("t", element_type::float32, {3}, {1, 2, 3});
  const matrix wide =
      widen({"t", element_type::float32, {3}, std::as_bytes(std::span(written.bytes))});
  CHECK(wide.rows() == 1);
  CHECK(wide.columns() == 3);
}

}  // namespace
}  // namespace weft::gpu::reference
