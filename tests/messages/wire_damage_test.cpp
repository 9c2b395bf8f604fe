// Bytes that no sender meant: cut, flipped, made up. Reading them never does harm.
#include <catch2/catch.hpp>

#include "messages/wire/bounds.hpp"
#include "tests/messages/fixture.hpp"
#include "tests/messages/wire_samples.hpp"

namespace weft::messages::test {

namespace {

std::vector<std::byte> bytes_of(const envelope& packed) {
  return {packed.bytes().begin(), packed.bytes().end()};
}

// Reads `bytes`; what can be read must be sendable, and be read again as the same.
bool reads(schema_id schema, std::span<const std::byte> bytes) {
  const auto packed = envelope::copy(schema, bytes);
  if (!packed.ok()) return false;
  const auto message = decode_any(*packed);
  if (!message.ok()) {
    CHECK(message.error().kind == failure_kind::rejected);
    CHECK_FALSE(message.error().message.empty());
    return false;
  }
  const auto again = encode_any(*message);
  REQUIRE(again.ok());
  const auto back = decode_any(*again);
  REQUIRE(back.ok());
  CHECK(*back == *message);
  return true;
}

}  // namespace

TEST_CASE("a message cut short at any length is refused", "[messages][wire_damage]") {
  for (const wire_sample& sample : wire_samples()) {
    const envelope packed = packed_sample(sample.name);
    for (std::size_t length = 0; length < packed.bytes().size(); ++length) {
      INFO(sample.name << " cut to " << length);
      REQUIRE_FALSE(reads(packed.schema(), packed.bytes().subspan(0, length)));
    }
    REQUIRE(reads(packed.schema(), packed.bytes()));
  }
}

TEST_CASE("a message with bytes behind it is refused", "[messages][wire_damage]") {
  for (const wire_sample& sample : wire_samples()) {
    INFO(sample.name);
    const envelope packed = packed_sample(sample.name);
    std::vector<std::byte> bytes = bytes_of(packed);
    bytes.resize(bytes.size() + 8);
    CHECK_FALSE(reads(packed.schema(), bytes));
  }
}

TEST_CASE("a message with any one bit flipped is read or refused", "[messages][wire_damage]") {
  std::size_t refused = 0;
  std::size_t read = 0;
  for (const wire_sample& sample : wire_samples()) {
    const envelope packed = packed_sample(sample.name);
    std::vector<std::byte> bytes = bytes_of(packed);
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
      INFO(sample.name << " with bit " << bit << " flipped");
      const auto mask = static_cast<std::byte>(1U << (bit % 8));
      bytes[bit / 8] ^= mask;
      ++(reads(packed.schema(), bytes) ? read : refused);
      bytes[bit / 8] ^= mask;
    }
  }
  // Both happen: numbers may be any, pointers and names may not.
  CHECK(refused > 1000);
  CHECK(read > 1000);
}

TEST_CASE("a message of one conversation is not read as one of another",
          "[messages][wire_damage]") {
  const envelope packed = packed_sample("serving.generate");
  CHECK_FALSE(membership::decode(packed).ok());
  CHECK_FALSE(directory::decode(packed).ok());
  CHECK_FALSE(prefill::decode(packed).ok());
  CHECK(serving::decode(packed).ok());
  CHECK_FALSE(serving::decode(envelope()).ok());
  for (const wire_sample& sample : wire_samples()) {
    for (const schema_id schema :
         {schema_id::membership, schema_id::directory, schema_id::serving, schema_id::prefill}) {
      INFO(sample.name << " read as " << name_of(schema));
      const envelope packed_so = packed_sample(sample.name);
      reads(schema, packed_so.bytes());
    }
  }
}

TEST_CASE("random damage and random words are read or refused", "[messages][wire_damage]") {
  auto random = seeded(20240817);
  std::vector<envelope> samples;
  for (const wire_sample& sample : wire_samples()) samples.push_back(packed_sample(sample.name));
  for (int round = 0; round < 20'000; ++round) {
    const envelope& packed = samples[random() % samples.size()];
    std::vector<std::byte> bytes = bytes_of(packed);
    for (std::uint64_t changes = 1 + random() % 8; changes > 0; --changes)
      bytes[random() % bytes.size()] = static_cast<std::byte>(random());
    reads(packed.schema(), bytes);
  }
  for (int round = 0; round < 2'000; ++round) {
    std::vector<std::byte> bytes(8 * (random() % 40));
    for (std::byte& byte : bytes) byte = static_cast<std::byte>(random() % 5 == 0 ? random() : 0);
    if (bytes.size() >= 8) {
      // One segment of the right length, so that reading goes on behind the table.
      for (std::size_t i = 0; i < 8; ++i) bytes[i] = std::byte{0};
      bytes[4] = static_cast<std::byte>(bytes.size() / 8 - 1);
    }
    for (const schema_id schema :
         {schema_id::membership, schema_id::directory, schema_id::serving, schema_id::prefill})
      reads(schema, bytes);
  }
}

}  // namespace weft::messages::test
