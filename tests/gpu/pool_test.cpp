#include "gpu/pools/pool.hpp"

#include <random>

#include <catch2/catch.hpp>

namespace weft::gpu {
namespace {

std::int64_t sum(const pool_counts& counts) {
  std::int64_t held = counts.free;
  for (const std::int64_t each : counts.held) held += each;
  return held;
}

}  // namespace

TEST_CASE("a unit comes back when its lease goes", "[gpu][pool]") {
  unit_pool pool("pages", 2);
  {
    auto first = pool.take(unit_owner::in_flight);
    REQUIRE(first.ok());
    CHECK(pool.counts().free == 1);
    const unit_lease moved = std::move(*first);
    CHECK(pool.counts().free == 1);
  }
  CHECK(pool.counts().free == 2);
}

TEST_CASE("an empty pool answers overloaded and names itself", "[gpu][pool]") {
  unit_pool pool("state slots", 1);
  const auto only = pool.take(unit_owner::cached);
  const auto none = pool.take(unit_owner::cached);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().kind == failure_kind::overloaded);
  CHECK(none.error().message.find("state slots") != std::string::npos);
}

TEST_CASE("the classes always add up, through any takes, moves, relabels and releases",
          "[gpu][pool]") {
  const unsigned seed = 7;
  INFO("seed " << seed);
  std::mt19937 random(seed);
  unit_pool pool("units", 50);
  std::vector<unit_lease> leases;
  for (int i = 0; i < 20000; ++i) {
    const unsigned dice = random() % 4;
    if (dice < 2) {
      auto taken = pool.take(static_cast<unit_owner>(random() % unit_owners));
      CHECK(taken.ok() == (leases.size() < 50));
      if (taken.ok()) leases.push_back(std::move(*taken));
    } else if (!leases.empty()) {
      std::swap(leases[random() % leases.size()], leases.back());
      if (dice == 2)
        leases.back().relabel(static_cast<unit_owner>(random() % unit_owners));
      else
        leases.pop_back();
    }
    const pool_counts counts = pool.counts();
    REQUIRE(sum(counts) == counts.total);
    REQUIRE(counts.in_use() == static_cast<std::int64_t>(leases.size()));
  }
}

}  // namespace weft::gpu
