// Random callers of one session: they start, step, cancel, take and drop as a seed draws it, and
// the accounts are checked after every operation.
#pragma once

#include <array>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "tests/actors/session_fixture.hpp"
#include "tests/actors/unit_accounts.hpp"

namespace weft::actors {

struct crowd_options {
  std::uint64_t seed = 0;
  eviction_policy eviction = eviction_policy::value_per_byte;
  bool anchored = false;
  fake_options pools = {};
  fake_trouble trouble = {};
  std::int64_t documents = 14;  // The fewer there are, the more requests await one another.
  bool breaks = true;           // Now and then a whole step fails and the session is made anew.
};

// What came of it, so that a test can tell that it tested something.
struct crowd_tally {
  std::int64_t operations = 0;
  std::int64_t answers = 0;
  std::int64_t failures = 0;
  std::int64_t told_to_retry = 0;  // Failures of requests that had been taken on.
  std::int64_t refused = 0;        // Starts answered `overloaded`.
  std::int64_t cancels = 0;
  std::int64_t breaks = 0;
  std::int64_t quiet_times = 0;
  std::int64_t hits = 0;
  std::int64_t misses = 0;
  std::int64_t evictions = 0;
};

class random_crowd {
 public:
  explicit random_crowd(const crowd_options& options);

  // One operation, then the accounts: breaches, or none.
  std::vector<std::string> act();

  // Lets everything end, then the accounts of a quiet session.
  std::vector<std::string> quiet();

  crowd_tally tally() const;
  fake_engine& engine() { return *stage_->fake; }
  std::vector<std::string> check() const;

 private:
  void open();
  void close();
  void start();
  void cancel();
  void take();
  void break_down();
  request any_request();
  std::int64_t below(std::int64_t bound);

  crowd_options options_;
  std::mt19937_64 random_;
  std::unique_ptr<session_fixture> stage_;
  std::vector<std::uint64_t> live_;
  crowd_tally tally_;
};

}  // namespace weft::actors
