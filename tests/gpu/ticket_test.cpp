#include "gpu/comm/ticket.hpp"

#include <unordered_set>

#include <catch2/catch.hpp>

namespace weft::gpu::comm {

TEST_CASE("no two tickets are alike, and a bit makes another", "[gpu][comm][ticket]") {
  std::unordered_set<transfer_ticket, ticket_hash> seen;
  for (int count = 0; count < 1000; ++count) seen.insert(*draw_ticket());
  CHECK(seen.size() == 1000);
  CHECK_FALSE(seen.contains(transfer_ticket()));
  const transfer_ticket one = *seen.begin();
  for (std::size_t bit = 0; bit < 8 * ticket_bytes; ++bit) {
    transfer_ticket other = one;
    other.bits[bit / 8] ^= static_cast<std::byte>(1U << (bit % 8));
    CHECK_FALSE(one == other);
    CHECK_FALSE(seen.contains(other));
  }
  CHECK(one == transfer_ticket(one));
}

TEST_CASE("every table hashes tickets in its own way", "[gpu][comm][ticket]") {
  const transfer_ticket drawn = *draw_ticket();
  const ticket_hash one;
  const ticket_hash other;
  CHECK(one(drawn) == one(drawn));
  CHECK(one(drawn) != other(drawn));
}

}  // namespace weft::gpu::comm
