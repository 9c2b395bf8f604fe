// How much memory the pulls of this process may use for bytes on their way.
//
// Bytes are free, in flight (a pull uses them), or quarantined (the pull was given up, but the
// sender is not yet known to have stopped). The three always add up to the total.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <memory>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu::comm {

struct staging_counts {
  std::uint64_t free = 0;
  std::uint64_t in_flight = 0;
  std::uint64_t quarantined = 0;
  std::uint64_t total = 0;
};

class staging_account;

// Some bytes, given back when it goes. It keeps the account's books alive.
class staging_lease {
 public:
  staging_lease() = default;
  staging_lease(staging_lease&& other) noexcept;
  staging_lease& operator=(staging_lease&& other) noexcept;
  ~staging_lease() { release(); }

  void quarantine();  // In flight no more, not yet free either.
  void release();

 private:
  friend class staging_account;
  struct books;
  staging_lease(std::shared_ptr<books> account, std::uint64_t bytes);

  std::shared_ptr<books> books_;
  std::uint64_t bytes_ = 0;
  bool quarantined_ = false;
};

class staging_account {
 public:
  explicit staging_account(std::uint64_t staging_bytes_max);

  // `overloaded` when so many are not free now, `rejected` when there never will be.
  result<staging_lease> take(std::uint64_t bytes);

  staging_counts counts() const;

 private:
  std::shared_ptr<staging_lease::books> books_;
};

}  // namespace weft::gpu::comm
