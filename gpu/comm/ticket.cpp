#include "gpu/comm/ticket.hpp"

#include <cstring>
#include <random>

#include <openssl/rand.h>

namespace weft::gpu::comm {

result<transfer_ticket> draw_ticket() {
  transfer_ticket drawn;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(drawn.bits.data()), ticket_bytes) != 1)
    return broken("the system has no random numbers to make a ticket of");
  return drawn;
}

ticket_hash::ticket_hash() {
  std::random_device device;
  salt = (std::uint64_t{device()} << 32) | device();
}

std::size_t ticket_hash::operator()(const transfer_ticket& key) const {
  std::uint64_t mixed = salt;
  for (std::size_t word = 0; word < ticket_bytes / 8; ++word) {
    std::uint64_t part = 0;
    std::memcpy(&part, key.bits.data() + 8 * word, sizeof part);
    // The finalizer of splitmix64: every bit of the part moves every bit of the sum.
    mixed = (mixed ^ part) * 0x9E3779B97F4A7C15u;
    mixed ^= mixed >> 29;
  }
  return static_cast<std::size_t>(mixed);
}

}  // namespace weft::gpu::comm
