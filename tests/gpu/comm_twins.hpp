// Twins of what the data channel stands between: a source that grows on order and a sink that keeps
// what it hears; and a patient wait for what other threads do.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "gpu/comm/layer_sink.hpp"
#include "gpu/comm/layer_source.hpp"

namespace weft::gpu::comm {

using layer_contents = std::vector<std::vector<std::byte>>;

inline layer_contents random_layers(const std::vector<std::size_t>& sizes, unsigned seed) {
  std::mt19937_64 random(seed);
  layer_contents layers;
  for (const std::size_t size : sizes) {
    std::vector<std::byte> bytes(size);
    for (auto& each : bytes) each = static_cast<std::byte>(random());
    layers.push_back(std::move(bytes));
  }
  return layers;
}

// Generous: a test that waits so long has failed.
inline constexpr std::chrono::seconds patience{60};

inline bool comes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return true;
}

class growing_source final : public layer_source {
 public:
  explicit growing_source(layer_contents layers, std::uint32_t ready) : layers_(std::move(layers)) {
    progress_.ready = ready;
  }
  explicit growing_source(layer_contents layers)
      : growing_source(layers, static_cast<std::uint32_t>(layers.size())) {}

  void grow(std::uint32_t ready) {
    const std::lock_guard lock(mutex_);
    progress_.ready = ready;
  }
  void fail(std::string why) {
    const std::lock_guard lock(mutex_);
    progress_.failed = std::move(why);
  }

  std::uint32_t layers() const override { return static_cast<std::uint32_t>(layers_.size()); }
  layer_progress progress() const override {
    const std::lock_guard lock(mutex_);
    return progress_;
  }
  std::uint64_t layer_bytes(std::uint32_t layer) const override { return layers_[layer].size(); }
  void copy(std::uint32_t layer, std::uint64_t offset, std::span<std::byte> into) const override {
    WEFT_ASSERT(layer < progress().ready);
    WEFT_ASSERT(offset + into.size() <= layers_[layer].size());
    if (!into.empty()) std::memcpy(into.data(), layers_[layer].data() + offset, into.size());
  }

 private:
  layer_contents layers_;
  mutable std::mutex mutex_;
  layer_progress progress_;
};

class recording_sink final : public layer_sink {
 public:
  // Pauses at each of the first `pauses` parts.
  explicit recording_sink(int pauses = 0) : pauses_(pauses) {}

  appetite take(const layer_part& part) override {
    const std::lock_guard lock(mutex_);
    WEFT_ASSERT(!ended_);
    if (part.offset == 0) layers_.emplace_back();
    layers_.back().insert(layers_.back().end(), part.bytes.begin(), part.bytes.end());
    if (part.last()) ++whole_;
    ++parts_;
    changed_.notify_all();
    return pauses_-- > 0 ? appetite::pause : appetite::more;
  }
  void ended(const status& outcome) override {
    const std::lock_guard lock(mutex_);
    WEFT_ASSERT(!ended_);
    ended_ = true;
    outcome_ = outcome;
    changed_.notify_all();
  }

  bool wait_for_layers(std::size_t count) {
    return wait([&] { return whole_ >= count; });
  }
  bool wait_for_parts(std::size_t count) {
    return wait([&] { return parts_ >= count; });
  }
  bool wait_for_end() {
    return wait([&] { return ended_; });
  }

  layer_contents layers() {
    const std::lock_guard lock(mutex_);
    return layers_;
  }
  bool has_ended() {
    const std::lock_guard lock(mutex_);
    return ended_;
  }
  status outcome() {
    const std::lock_guard lock(mutex_);
    return outcome_;
  }

 private:
  bool wait(const std::function<bool()>& condition) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, patience, condition);
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  layer_contents layers_;
  std::size_t whole_ = 0, parts_ = 0;
  int pauses_;
  bool ended_ = false;
  status outcome_;
};

}  // namespace weft::gpu::comm
