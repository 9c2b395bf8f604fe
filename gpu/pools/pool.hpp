// A bounded set of equal units (key-value pages, state slots) handed out as move-only leases.
//
// A unit is free, or held by exactly one lease. What a holder is (a cached entry, a request in
// flight) is an `owner` that can be re-labelled, so that the classes of deploy/docs/formats.md
// always add up to the total. The pool keeps ids only; the engine owns the memory behind them.
//
// Threads: one thread at a time; the engine's caller.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "policies/vocabulary/result.hpp"

namespace weft::gpu {

enum class unit_owner : std::uint8_t { cached, pinned, in_flight, quarantined };
inline constexpr std::size_t unit_owners = 4;

struct pool_counts {
  std::int64_t free = 0;
  std::array<std::int64_t, unit_owners> held = {};  // Indexed by unit_owner.
  std::int64_t total = 0;
  std::int64_t in_use() const { return total - free; }
};

class unit_pool;

// One unit, given back when the lease goes. Lifetime: the pool must outlive its leases.
class unit_lease {
 public:
  unit_lease() = default;
  unit_lease(unit_lease&& other) noexcept;
  unit_lease& operator=(unit_lease&& other) noexcept;
  ~unit_lease() { release(); }

  explicit operator bool() const { return pool_ != nullptr; }
  std::int32_t id() const { return id_; }

  // Moves the unit to another class of the accounts.
  void relabel(unit_owner owner);
  void release();

 private:
  friend class unit_pool;
  friend struct planted_lease;  // Of tests, which give a unit back twice.
  unit_lease(unit_pool* pool, std::int32_t id) : pool_(pool), id_(id) {}

  unit_pool* pool_ = nullptr;
  std::int32_t id_ = -1;
};

class unit_pool {
 public:
  // `noun` names the units in failures ("key-value pages").
  unit_pool(const char* noun, std::int32_t units);
  unit_pool(const unit_pool&) = delete;
  unit_pool& operator=(const unit_pool&) = delete;
  ~unit_pool();

  // A unit for `owner`, or `overloaded` when none is free.
  result<unit_lease> take(unit_owner owner);

  pool_counts counts() const;

 private:
  friend class unit_lease;
  void give_back(std::int32_t id);

  const char* noun_;
  std::vector<std::int32_t> free_;
  std::vector<std::uint8_t> state_;  // Per unit: 0 free, else 1 + owner.
  pool_counts counts_;
};

}  // namespace weft::gpu
