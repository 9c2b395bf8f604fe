#include "gpu/comm/server_pull.hpp"

#include <catch2/catch.hpp>

#include "tests/gpu/comm_twins.hpp"

namespace weft::gpu::comm {
namespace {

const transfer_id transfer{{{1}, 2}, 3, {4}};

// A board with one offer, a pull of it, and what the pull would have sent.
struct pull_stage {
  explicit pull_stage(std::vector<std::size_t> sizes, std::uint64_t credit,
                      std::uint32_t first_layer = 0)
      : layers(random_layers(sizes, 9)), source(std::make_shared<growing_source>(layers)) {
    REQUIRE(board.post({key, transfer, source, "", time_point() + std::chrono::hours(1)}, {}).ok());
    server_pull_order order;
    order.claim = std::move(board.claim({key, transfer, "", {}}, {}).claim);
    order.transfer = transfer;
    order.first_layer = first_layer;
    order.credit_bytes = credit;
    order.credit_bytes_max = 1 << 20;
    pull.emplace(std::move(order));
  }

  // Takes the next step; the bytes of a frame go to `sent`.
  pull_step step() {
    const auto taken = pull->next(room);
    if (taken.move != pull_move::send) return taken;
    const auto header = parse_header(std::span(room).first<frame_header_bytes>());
    REQUIRE(header);
    const auto payload = std::span(room).subspan(frame_header_bytes, taken.payload_bytes);
    REQUIRE(payload_intact(*header, payload));
    if (header->offset == 0) sent.emplace_back();
    sent.back().insert(sent.back().end(), payload.begin(), payload.end());
    return taken;
  }

  transfer_ticket key = *draw_ticket();
  layer_contents layers, sent;
  std::shared_ptr<growing_source> source;
  offer_board board;
  std::optional<server_pull> pull;
  std::vector<std::byte> room =
      std::vector<std::byte>(frame_header_bytes + frame_payload_bytes_max);
};

}  // namespace

TEST_CASE("layers go out in frames of at most 256 KiB, then the end", "[gpu][comm][server_pull]") {
  pull_stage stage({300'000, 0, 5}, 1 << 20);
  CHECK(stage.step().payload_bytes == frame_payload_bytes_max);
  CHECK(stage.step().last_of_layer);
  CHECK(stage.step().payload_bytes == 0);
  CHECK(stage.step().payload_bytes == 5);
  const auto end = stage.step();
  CHECK(end.move == pull_move::end);
  CHECK(end.layers == 3);
  CHECK(stage.sent == stage.layers);
}

TEST_CASE("never more goes out than was granted", "[gpu][comm][server_pull]") {
  pull_stage stage({100}, 30);
  CHECK(stage.step().payload_bytes == 30);
  CHECK(stage.step().move == pull_move::wait_for_credit);
  REQUIRE(stage.pull->grant(69));
  CHECK(stage.step().payload_bytes == 69);
  CHECK(stage.step().move == pull_move::wait_for_credit);
  REQUIRE(stage.pull->grant(500));
  CHECK(stage.step().payload_bytes == 1);
  CHECK(stage.step().move == pull_move::end);
  CHECK(stage.sent == stage.layers);
}

TEST_CASE("credit of nothing or beyond the bound is refused", "[gpu][comm][server_pull]") {
  pull_stage stage({100}, 30);
  CHECK_FALSE(stage.pull->grant(0));
  CHECK_FALSE(stage.pull->grant((1 << 20) - 29));
  CHECK_FALSE(stage.pull->grant(~0ull));
  CHECK(stage.pull->grant((1 << 20) - 30));
}

TEST_CASE("a pull waits for layers, skips those not wanted, and ends with its offer",
          "[gpu][comm][server_pull]") {
  pull_stage stage({10, 20}, 1000, 1);
  stage.source->grow(1);
  CHECK(stage.step().move == pull_move::wait_for_layer);
  stage.source->grow(2);
  SECTION("grown") {
    CHECK(stage.step().payload_bytes == 20);
    CHECK(stage.step().move == pull_move::end);
  }
  SECTION("failed") {
    stage.source->fail("the device gave way");
    const auto step = stage.step();
    CHECK(step.move == pull_move::refuse);
    CHECK(step.why.reason == refusal_reason::failed);
    CHECK(step.why.message == "the device gave way");
  }
  SECTION("withdrawn") {
    stage.board.withdraw(stage.key);
    CHECK(stage.step().why.reason == refusal_reason::withdrawn);
  }
  stage.pull.reset();
}

}  // namespace weft::gpu::comm
