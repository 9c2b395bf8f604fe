#include "gpu/pools/pool.hpp"

#include <string>
#include <utility>

namespace weft::gpu {

unit_lease::unit_lease(unit_lease&& other) noexcept
    : pool_(std::exchange(other.pool_, nullptr)), id_(std::exchange(other.id_, -1)) {}

unit_lease& unit_lease::operator=(unit_lease&& other) noexcept {
  if (this != &other) {
    release();
    pool_ = std::exchange(other.pool_, nullptr);
    id_ = std::exchange(other.id_, -1);
  }
  return *this;
}

void unit_lease::relabel(unit_owner owner) {
  WEFT_ASSERT(pool_ != nullptr);
  auto& state = pool_->state_[static_cast<std::size_t>(id_)];
  WEFT_ASSERT(state != 0);
  --pool_->counts_.held[state - 1u];
  state = static_cast<std::uint8_t>(1 + static_cast<int>(owner));
  ++pool_->counts_.held[state - 1u];
}

void unit_lease::release() {
  if (pool_ == nullptr) return;
  pool_->give_back(id_);
  pool_ = nullptr;
  id_ = -1;
}

unit_pool::unit_pool(const char* noun, std::int32_t units)
    : noun_(noun), state_(static_cast<std::size_t>(units), 0) {
  WEFT_ASSERT(units >= 0);
  free_.reserve(static_cast<std::size_t>(units));
  // Handed out from id 0 up: low ids are touched first, so memory is committed as it is needed.
  for (std::int32_t id = units - 1; id >= 0; --id) free_.push_back(id);
  counts_.free = counts_.total = units;
}

unit_pool::~unit_pool() { WEFT_ASSERT(counts_.free == counts_.total); }

result<unit_lease> unit_pool::take(unit_owner owner) {
  if (free_.empty())
    return overloaded("all " + std::to_string(counts_.total) + " " + noun_ +
                      " are in use; raise the cache's size or wait for requests to finish");
  const std::int32_t id = free_.back();
  free_.pop_back();
  auto& state = state_[static_cast<std::size_t>(id)];
  WEFT_ASSERT(state == 0);
  state = static_cast<std::uint8_t>(1 + static_cast<int>(owner));
  --counts_.free;
  ++counts_.held[state - 1u];
  return unit_lease(this, id);
}

pool_counts unit_pool::counts() const { return counts_; }

void unit_pool::give_back(std::int32_t id) {
  auto& state = state_[static_cast<std::size_t>(id)];
  WEFT_ASSERT(state != 0);  // A unit given back twice would be a second owner's memory.
  --counts_.held[state - 1u];
  ++counts_.free;
  state = 0;
  free_.push_back(id);
}

}  // namespace weft::gpu
