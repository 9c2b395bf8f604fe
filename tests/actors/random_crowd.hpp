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
  std::int64_t duplicates = 0;  // Misses that needed no making, another use's served: at least.
  std::int64_t evictions = 0;
  std::int64_t failing_sequences = 0;
  std::int64_t spoilt_entries = 0;
  std::int64_t condemned = 0;      // Entries found spoilt, or under suspicion.
  std::int64_t refused_units = 0;  // Calls for units that the engine refused by chance.
};

// Every count of a tally but the first, and what 10,000 operations bring at least of it: about half
// of what a crowd with every trouble was seen to bring.
struct crowd_count {
  const char* name;
  std::int64_t crowd_tally::*count;
  std::int64_t floor;
};
inline constexpr std::array<crowd_count, 14> crowd_counts = {{
    {"answers", &crowd_tally::answers, 900},
    {"failures", &crowd_tally::failures, 50},
    {"refused", &crowd_tally::refused, 140},
    {"cancels", &crowd_tally::cancels, 300},
    {"breaks", &crowd_tally::breaks, 4},
    {"quiet times", &crowd_tally::quiet_times, 25},
    {"hits", &crowd_tally::hits, 550},
    {"misses", &crowd_tally::misses, 1500},
    {"duplicates", &crowd_tally::duplicates, 40},
    {"evictions", &crowd_tally::evictions, 600},
    {"failing sequences", &crowd_tally::failing_sequences, 35},
    {"spoilt entries", &crowd_tally::spoilt_entries, 14},
    {"condemned", &crowd_tally::condemned, 50},
    {"refused units", &crowd_tally::refused_units, 55},
}};

class random_crowd {
 public:
  explicit random_crowd(const crowd_options& options);

  // One operation, then the accounts: breaches, or none.
  std::vector<std::string> act();

  // Lets everything end, then the accounts of a quiet session.
  std::vector<std::string> quiet();

  void drop_cache() { stage_->live->drop_cache(); }

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
