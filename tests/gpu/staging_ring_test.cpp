#include "gpu/comm/staging_ring.hpp"

#include <algorithm>

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <sys/mman.h>

namespace weft::gpu::comm {

TEST_CASE("what a sender writes into the ring is there for the receiver",
          "[gpu][comm][staging_ring]") {
  auto ring = staging_ring::make(1000);
  REQUIRE(ring.ok());
  auto sender = mapped_ring::map(descriptor(::dup(ring->file())), 1000);
  REQUIRE(sender.ok());
  const auto room = sender->at(2990);
  CHECK(room.size() == 10);  // To the ring's end, and no further.
  std::fill(room.begin(), room.end(), std::byte{7});
  const auto bytes = ring->at(2990, 10);
  REQUIRE(bytes.size() == 10);
  CHECK(std::count(bytes.begin(), bytes.end(), std::byte{7}) == 10);
  CHECK(ring->at(2990, 11).empty());
}

TEST_CASE("a sender may write on when the receiver has dropped the ring",
          "[gpu][comm][staging_ring]") {
  auto sender = [] {
    auto ring = staging_ring::make(4096);
    return mapped_ring::map(descriptor(::dup(ring->file())), 4096);
  }();
  REQUIRE(sender.ok());
  const auto room = sender->at(0);
  std::fill(room.begin(), room.end(), std::byte{1});
  CHECK(room.back() == std::byte{1});
}

TEST_CASE("a file that could fault a sender is not mapped", "[gpu][comm][staging_ring]") {
  const auto memfd = [] { return descriptor(::memfd_create("t", MFD_ALLOW_SEALING)); };
  SECTION("not sealed") {
    auto file = memfd();
    REQUIRE(::fallocate(file.number(), 0, 0, 4096) == 0);
    CHECK_FALSE(mapped_ring::map(std::move(file), 4096).ok());
  }
  SECTION("of another size") {
    const auto ring = staging_ring::make(4096);
    CHECK_FALSE(mapped_ring::map(descriptor(::dup(ring->file())), 8192).ok());
  }
  SECTION("with holes") {
    auto file = memfd();
    REQUIRE(::ftruncate(file.number(), 1 << 20) == 0);
    REQUIRE(::fcntl(file.number(), F_ADD_SEALS, F_SEAL_SHRINK) == 0);
    CHECK_FALSE(mapped_ring::map(std::move(file), 1 << 20).ok());
  }
  SECTION("no memory at all") {
    descriptor file(::open("/dev/null", O_RDWR | O_CLOEXEC));
    CHECK_FALSE(mapped_ring::map(std::move(file), 4096).ok());
  }
}

TEST_CASE("the receiver's ring cannot be shrunk", "[gpu][comm][staging_ring]") {
  const auto ring = staging_ring::make(4096);
  CHECK(::ftruncate(ring->file(), 0) != 0);
}

}  // namespace weft::gpu::comm
