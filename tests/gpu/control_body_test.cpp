#include "gpu/comm/control_body.hpp"

#include <set>

#include <catch2/catch.hpp>

#include "gpu/comm/ticket.hpp"

namespace weft::gpu::comm {

TEST_CASE("control bodies survive the wire", "[gpu][comm][control_body]") {
  const transfer_ticket drawn = *draw_ticket();
  const auto hello = decode_hello(encode(hello_body{drawn, "node-1"}));
  REQUIRE(hello);
  CHECK(hello->token == drawn);
  CHECK(hello->node == "node-1");
  const auto pull = decode_pull(encode(pull_body{drawn, 3, 1u << 20, true}));
  REQUIRE(pull);
  CHECK(pull->offer == drawn);
  CHECK(pull->first_layer == 3);
  CHECK(pull->credit_bytes == 1u << 20);
  CHECK(pull->ring);
  const auto no = decode_refusal(encode(refusal{refusal_reason::withdrawn, "gone"}));
  REQUIRE(no);
  CHECK(no->reason == refusal_reason::withdrawn);
  CHECK(no->message == "gone");
  CHECK(decode_credit(encode_credit(77)) == 77u);
}

TEST_CASE("a body that is cut, longer or out of range is none", "[gpu][comm][control_body]") {
  const auto cut = [](std::vector<std::byte> bytes) {
    bytes.pop_back();
    return bytes;
  };
  const auto longer = [](std::vector<std::byte> bytes) {
    bytes.push_back(std::byte{1});
    return bytes;
  };
  const auto pull = encode(pull_body{});
  CHECK_FALSE(decode_pull(cut(pull)));
  CHECK_FALSE(decode_pull(longer(pull)));
  auto third_ring = pull;
  third_ring.back() = std::byte{2};
  CHECK_FALSE(decode_pull(third_ring));
  CHECK_FALSE(decode_credit(cut(encode_credit(1))));
  CHECK_FALSE(decode_credit(longer(encode_credit(1))));
  CHECK_FALSE(decode_hello(cut(encode(hello_body{}))));
  CHECK_FALSE(decode_hello(std::vector<std::byte>(33 + node_name_bytes_max)));
  CHECK_FALSE(decode_refusal({}));
  CHECK_FALSE(decode_refusal(std::vector<std::byte>{std::byte{refusal_reasons}}));
}

TEST_CASE("a long sentence is cut, not refused", "[gpu][comm][control_body]") {
  const auto no = decode_refusal(encode(refusal{refusal_reason::failed, std::string(5000, 'x')}));
  REQUIRE(no);
  CHECK(no->message.size() == refusal_message_bytes_max);
}

TEST_CASE("every reason has a name of its own and a remedy", "[gpu][comm][refusal]") {
  std::set<std::string_view> names;
  for (std::size_t number = 0; number < refusal_reasons; ++number)
    names.insert(name_of(static_cast<refusal_reason>(number)));
  CHECK(names.size() == refusal_reasons);
  CHECK(to_failure({refusal_reason::busy, "m"}).kind == failure_kind::overloaded);
  CHECK(to_failure({refusal_reason::cancelled, "m"}).kind == failure_kind::cancelled);
  CHECK(to_failure({refusal_reason::expired, "m"}).kind == failure_kind::unavailable);
  CHECK(to_failure({refusal_reason::wrong_peer, "m"}).kind == failure_kind::rejected);
  CHECK(to_failure({refusal_reason::expired, "m"}).message == "m");
}

}  // namespace weft::gpu::comm
