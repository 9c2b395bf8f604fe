#include "gpu/comm/staging_account.hpp"

#include <mutex>
#include <string>
#include <utility>

namespace weft::gpu::comm {

struct staging_lease::books {
  std::mutex mutex;
  staging_counts counts;
};

staging_lease::staging_lease(std::shared_ptr<books> account, std::uint64_t bytes)
    : books_(std::move(account)), bytes_(bytes) {}

staging_lease::staging_lease(staging_lease&& other) noexcept
    : books_(std::move(other.books_)),
      bytes_(std::exchange(other.bytes_, 0)),
      quarantined_(std::exchange(other.quarantined_, false)) {}

staging_lease& staging_lease::operator=(staging_lease&& other) noexcept {
  if (this != &other) {
    release();
    books_ = std::move(other.books_);
    bytes_ = std::exchange(other.bytes_, 0);
    quarantined_ = std::exchange(other.quarantined_, false);
  }
  return *this;
}

void staging_lease::quarantine() {
  if (books_ == nullptr || quarantined_) return;
  const std::lock_guard lock(books_->mutex);
  books_->counts.in_flight -= bytes_;
  books_->counts.quarantined += bytes_;
  quarantined_ = true;
}

void staging_lease::release() {
  if (books_ == nullptr) return;
  {
    const std::lock_guard lock(books_->mutex);
    (quarantined_ ? books_->counts.quarantined : books_->counts.in_flight) -= bytes_;
    books_->counts.free += bytes_;
  }
  books_.reset();
  quarantined_ = false;
}

staging_account::staging_account(std::uint64_t staging_bytes_max)
    : books_(std::make_shared<staging_lease::books>()) {
  books_->counts.free = books_->counts.total = staging_bytes_max;
}

result<staging_lease> staging_account::take(std::uint64_t bytes) {
  const std::lock_guard lock(books_->mutex);
  auto& counts = books_->counts;
  if (bytes > counts.total)
    return rejected("a transfer needs " + std::to_string(bytes) + " bytes of staging, and " +
                    std::to_string(counts.total) + " are all there are; raise staging_bytes_max");
  if (bytes > counts.free)
    return overloaded("staging is full: " + std::to_string(counts.free) + " of " +
                      std::to_string(counts.total) + " bytes are free and " +
                      std::to_string(bytes) + " are needed; wait for transfers to finish");
  counts.free -= bytes;
  counts.in_flight += bytes;
  return staging_lease(books_, bytes);
}

staging_counts staging_account::counts() const {
  const std::lock_guard lock(books_->mutex);
  return books_->counts;
}

}  // namespace weft::gpu::comm
