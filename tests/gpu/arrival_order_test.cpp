#include "gpu/comm/arrival_order.hpp"

#include <catch2/catch.hpp>

namespace weft::gpu::comm {
namespace {

const transfer_id now{{{7}, 8}, 9, {2}};

frame_header part(std::uint32_t layer, std::uint64_t offset, std::uint32_t bytes,
                  std::uint64_t layer_bytes) {
  frame_header header;
  header.transfer = now;
  header.layer = layer;
  header.offset = offset;
  header.payload_bytes = bytes;
  header.layer_bytes = layer_bytes;
  return header;
}

frame_header end_after(std::uint32_t layers) {
  auto header = part(layers, 0, 0, 0);
  header.kind = frame_kind::end;
  return header;
}

}  // namespace

TEST_CASE("parts and layers follow one another, then the end", "[gpu][comm][arrival_order]") {
  arrival_order order(now, 1);
  for (const auto& header : {part(1, 0, 10, 25), part(1, 10, 15, 25), part(2, 0, 0, 0)}) {
    CHECK(order.judge(end_after(header.layer + 1)) == arrival_verdict::wrong);
    REQUIRE(order.judge(header) == arrival_verdict::next);
    order.pass(header);
  }
  CHECK(order.judge(end_after(2)) == arrival_verdict::wrong);
  CHECK(order.judge(end_after(3)) == arrival_verdict::next);
}

TEST_CASE("a gap, a repetition and an empty part are wrong", "[gpu][comm][arrival_order]") {
  arrival_order order(now, 0);
  CHECK(order.judge(part(1, 0, 10, 10)) == arrival_verdict::wrong);
  CHECK(order.judge(part(0, 5, 5, 10)) == arrival_verdict::wrong);
  CHECK(order.judge(part(0, 0, 0, 10)) == arrival_verdict::wrong);
  order.pass(part(0, 0, 5, 10));
  CHECK(order.judge(part(0, 0, 5, 10)) == arrival_verdict::wrong);
  CHECK(order.judge(part(0, 5, 5, 11)) == arrival_verdict::wrong);
  CHECK(order.judge(end_after(0)) == arrival_verdict::wrong);
  CHECK(order.judge(part(0, 5, 5, 10)) == arrival_verdict::next);
}

TEST_CASE("an older plan's frame is late, any other stranger is wrong",
          "[gpu][comm][arrival_order]") {
  const arrival_order order(now, 0);
  auto header = part(0, 0, 10, 10);
  header.transfer.generation = {1};
  CHECK(order.judge(header) == arrival_verdict::late);
  header.transfer.generation = {3};
  CHECK(order.judge(header) == arrival_verdict::wrong);
  header.transfer = {7, 8, 1, 1};
  CHECK(order.judge(header) == arrival_verdict::wrong);
}

}  // namespace weft::gpu::comm
