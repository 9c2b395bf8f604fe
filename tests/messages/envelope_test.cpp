#include "messages/wire/envelope.hpp"

#include <cstdint>

#include <catch2/catch.hpp>

#include "messages/wire/bounds.hpp"

namespace weft::messages {

TEST_CASE("an envelope's bytes are shared by its copies and aligned to words",
          "[messages][envelope]") {
  const auto made = envelope::make(schema_id::serving, {1, 2, 3});
  REQUIRE(made.ok());
  const envelope copy = *made;
  CHECK(copy.schema() == schema_id::serving);
  CHECK(copy.bytes().size() == 24);
  CHECK(copy.bytes().data() == made->bytes().data());
  CHECK(reinterpret_cast<std::uintptr_t>(copy.bytes().data()) % 8 == 0);
}

TEST_CASE("bytes from anywhere are copied to an aligned place", "[messages][envelope]") {
  std::vector<std::byte> bytes(33);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i);
  const auto copied = envelope::copy(schema_id::prefill, std::span(bytes).subspan(1));
  REQUIRE(copied.ok());
  CHECK(reinterpret_cast<std::uintptr_t>(copied->bytes().data()) % 8 == 0);
  REQUIRE(copied->bytes().size() == 32);
  CHECK(copied->bytes()[0] == std::byte{1});
  CHECK(copied->bytes()[31] == std::byte{32});
}

TEST_CASE("more than an envelope holds is refused with both sizes", "[messages][envelope]") {
  const std::vector<std::uint64_t> most(envelope_bytes_max / 8);
  CHECK(envelope::make(schema_id::serving, most).ok());
  std::vector<std::uint64_t> more = most;
  more.push_back(0);
  for (const auto& refused : {envelope::make(schema_id::serving, more),
                              envelope::copy(schema_id::serving, std::as_bytes(std::span(more)))}) {
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().kind == failure_kind::rejected);
    CHECK(refused.error().message.find("2097160") != std::string::npos);
    CHECK(refused.error().message.find("2097152") != std::string::npos);
  }
}

TEST_CASE("bytes that are no whole words are refused", "[messages][envelope]") {
  const std::vector<std::byte> bytes(12);
  CHECK_FALSE(envelope::copy(schema_id::serving, bytes).ok());
}

TEST_CASE("envelopes are equal by conversation and content", "[messages][envelope]") {
  const auto one = *envelope::make(schema_id::serving, {1, 2});
  CHECK(one == *envelope::make(schema_id::serving, {1, 2}));
  CHECK_FALSE(one == *envelope::make(schema_id::prefill, {1, 2}));
  CHECK_FALSE(one == *envelope::make(schema_id::serving, {1, 3}));
  CHECK_FALSE(one == *envelope::make(schema_id::serving, {1}));
  CHECK(envelope().bytes().empty());
  CHECK(envelope().schema() == schema_id::none);
}

TEST_CASE("conversations keep their numbers, and an unknown one is refused",
          "[messages][envelope]") {
  const std::vector<std::pair<std::uint16_t, std::string_view>> published = {
      {1, "membership"}, {2, "directory"}, {3, "serving"}, {4, "prefill"}};
  for (const auto& [number, name] : published) {
    const auto schema = parse_schema_id(number);
    REQUIRE(schema.ok());
    CHECK(name_of(*schema) == name);
    CHECK(static_cast<std::uint16_t>(*schema) == number);
  }
  for (const std::uint16_t number : {std::uint16_t{0}, std::uint16_t{5}, std::uint16_t{65535}}) {
    const auto refused = parse_schema_id(number);
    REQUIRE_FALSE(refused.ok());
    CHECK(refused.error().message.find(std::to_string(number)) != std::string::npos);
  }
}

}  // namespace weft::messages
