#include "gpu/comm/staging_account.hpp"

#include <random>
#include <vector>

#include <catch2/catch.hpp>

namespace weft::gpu::comm {

TEST_CASE("staging is free, in flight or quarantined, and comes back",
          "[gpu][comm][staging_account]") {
  staging_account account(100);
  auto lease = std::move(account.take(60)).value();
  CHECK(account.counts().in_flight == 60);
  lease.quarantine();
  lease.quarantine();
  CHECK(account.counts().in_flight == 0);
  CHECK(account.counts().quarantined == 60);
  CHECK(account.counts().free == 40);
  lease.release();
  CHECK(account.counts().free == 100);
  CHECK(account.counts().quarantined == 0);
}

TEST_CASE("quarantined staging is not handed out", "[gpu][comm][staging_account]") {
  staging_account account(100);
  auto lease = std::move(account.take(60)).value();
  lease.quarantine();
  const auto none = account.take(41);
  REQUIRE_FALSE(none.ok());
  CHECK(none.error().kind == failure_kind::overloaded);
  CHECK(account.take(40).ok());
  CHECK(account.take(101).error().kind == failure_kind::rejected);
}

TEST_CASE("staging adds up through any takes, quarantines, moves and releases",
          "[gpu][comm][staging_account]") {
  staging_account account(1000);
  std::mt19937 random(3);
  std::vector<staging_lease> leases(20);
  for (int round = 0; round < 2000; ++round) {
    auto& lease = leases[random() % leases.size()];
    switch (random() % 4) {
      case 0:
        if (auto taken = account.take(1 + random() % 200)) lease = std::move(*taken);
        break;
      case 1: lease.quarantine(); break;
      case 2: lease.release(); break;
      default: lease = std::move(leases[random() % leases.size()]); break;
    }
    const auto counts = account.counts();
    REQUIRE(counts.free + counts.in_flight + counts.quarantined == counts.total);
  }
  leases.clear();
  CHECK(account.counts().free == 1000);
}

}  // namespace weft::gpu::comm
