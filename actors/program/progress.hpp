// A bar on standard error for long work; nothing at all where no person watches.
//
// Redraws at most ten times a second and wipes itself when it goes, so that results stand alone.
// Threads: the word's thread only. Lifetime: the console must outlive it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "actors/program/console.hpp"

namespace weft::actors {

class progress {
 public:
  // `total`: steps of work, at least 1. `wanted`: false switches the bar off (--no-progress).
  progress(console& at, std::string what, std::int64_t total, bool wanted);
  progress(const progress&) = delete;
  progress& operator=(const progress&) = delete;
  ~progress();

  // One more step is done; `what` names the one at work, unless empty.
  void advance(const std::string& what = {});

  // So many steps are done.
  void reach(std::int64_t done);

 private:
  void draw();

  console* at_;
  std::string what_;
  std::int64_t total_;
  std::int64_t done_ = 0;
  bool shown_;
  std::chrono::steady_clock::time_point next_draw_;
};

}  // namespace weft::actors
