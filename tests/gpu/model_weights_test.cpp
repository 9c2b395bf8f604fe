#include "gpu/model/model_weights.hpp"

#include <cmath>
#include <cstring>

#include <catch2/catch.hpp>

#include "gpu/host/weights.hpp"

namespace weft::gpu {
namespace {

std::vector<float> widen(element_type type, const std::vector<std::uint16_t>& bits,
                         std::int64_t first = 0) {
  const tensor_view view{.name = "t",
                         .type = type,
                         .dims = {static_cast<std::int64_t>(bits.size())},
                         .bytes = std::as_bytes(std::span(bits))};
  std::vector<float> out(bits.size() - static_cast<std::size_t>(first));
  to_float32(view, first, out);
  return out;
}

}  // namespace

TEST_CASE("half and brain floats widen exactly", "[gpu][model_weights]") {
  CHECK(widen(element_type::bfloat16, {0x3f80, 0xc000, 0x0000, 0x7f80}) ==
        std::vector<float>{1.0F, -2.0F, 0.0F, INFINITY});
  CHECK(widen(element_type::float16, {0x3c00, 0xc000, 0x0001, 0x8001, 0x7bff, 0x7c00, 0x0400}) ==
        std::vector<float>{1.0F, -2.0F, 0x1p-24F, -0x1p-24F, 65504.0F, INFINITY, 0x1p-14F});
  CHECK(std::isnan(widen(element_type::float16, {0x7e00})[0]));
  CHECK(widen(element_type::bfloat16, {0x3f80, 0x4000, 0x4040}, 1) ==
        std::vector<float>{2.0F, 3.0F});
}

TEST_CASE("small tensors become floats, and factors of a zero-centred norm", "[gpu][weights]") {
  const std::vector<float> a = {1, 2};
  const std::vector<std::uint16_t> b = {0x4040, 0x4080, 0x40a0, 0x40c0};
  const tensor_view first{.name = "a", .dims = {1, 2}, .bytes = std::as_bytes(std::span(a))};
  const tensor_view second{.name = "b",
                           .type = element_type::bfloat16,
                           .dims = {2, 2},
                           .bytes = std::as_bytes(std::span(b))};
  CHECK(one_plus(first) == std::vector<float>{2, 3});
  CHECK(floats_of(second) == std::vector<float>{3, 4, 5, 6});
}

TEST_CASE("a part of a tensor knows its name and place", "[gpu][model_weights]") {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const tensor_view whole{
      .name = "t", .dims = {2, 3, 2}, .bytes = std::as_bytes(std::span(values))};
  const tensor_view part = part_of(whole, 1);
  CHECK(part.dims == std::vector<std::int64_t>{3, 2});
  CHECK(part.first == 6);
  const tensor_view rows = rows_of(part, 1, 2);
  CHECK(rows.name == "t");
  CHECK(rows.dims == std::vector<std::int64_t>{2, 2});
  CHECK(rows.first == 8);
  CHECK(floats_of(rows) == std::vector<float>{8, 9, 10, 11});
  const tensor_view missing{.name = "m", .dims = {4, 3}, .bytes = {}};
  CHECK(rows_of(missing, 2, 1).dims == std::vector<std::int64_t>{1, 3});
}

TEST_CASE("a stack is the rows of its blocks in order", "[gpu][model_weights]") {
  const std::vector<float> values = {0, 1, 2, 3, 4, 5};
  const tensor_view whole{.name = "t", .dims = {3, 2}, .bytes = std::as_bytes(std::span(values))};
  const stacked_view last{{rows_of(whole, 2, 1)}};
  const stacked_view both = stacked({last, {{rows_of(whole, 0, 2)}}});
  CHECK(both.rows() == 3);
  CHECK(both.elements() == 6);
  std::vector<float> rows(6);
  to_float32(both, rows);
  CHECK(rows == std::vector<float>{4, 5, 0, 1, 2, 3});
}

}  // namespace weft::gpu
