// Which worker says that it holds which entry: what a router knows, and how sure it may be.
//
// A value. Workers number their events (event_log); here each worker has the number expected next.
// What was applied already is skipped, so messages may come twice and runs may overlap; a hole is
// never jumped over: the answer says from where to replay. What is known is a belief all the same:
// a hit becomes a promise only with a lease at the holder, and `miss` tells of one refused.
//
// Only the life of a worker that `meet` named counts, and it starts with nothing. So a restarted
// worker is credited with nothing, and late messages of its former life change nothing.
//
// Memory: at most workers_max workers of entries_max entries each. A worker beyond is not met. An
// entry beyond is passed over (and counted): it is taken for absent there, costs a transfer or a
// prefill that was not needed, and is known after the next snapshot that finds room.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "policies/directory/entry_event.hpp"
#include "policies/vocabulary/node_life.hpp"

namespace weft {

struct directory_limits {
  std::size_t workers_max = 256;
  // Per worker: 100 bytes each, so 6 MB of a router. A worker of 141 GB holds 1,200 entries of the
  // largest supported model's state alone; small models have more and smaller ones.
  std::size_t entries_max = 65'536;
  // A longer hole is answered by a snapshot, which is then the shorter message.
  std::uint64_t replay_max = 4'096;
};

enum class run_verdict : std::uint8_t {
  applied,
  already_known,   // nothing in it was new
  gap,             // nothing was applied; ask for a replay from `replay_from`
  needs_snapshot,  // nothing was applied; the hole is too long, or the worker's life is not known
};

struct run_outcome {
  run_verdict verdict = run_verdict::applied;
  std::uint64_t replay_from = 0;  // Of a gap.

  friend bool operator==(const run_outcome&, const run_outcome&) = default;
};

struct entry_holder {
  node_life worker;
  entry_facts facts = {};

  friend bool operator==(const entry_holder&, const entry_holder&) = default;
};

class directory {
 public:
  explicit directory(directory_limits limits = {}) : limits_(limits) {}

  // From now on this life of the worker counts, and no other: with nothing, from event 0 on. A life
  // that is known already stays as it is. False: workers_max are known. Ask it for a replay from 0.
  bool meet(const node_life& worker);

  // Takes a run of events in. Of a life that was not met it takes nothing: needs_snapshot.
  run_outcome apply(const node_life& worker, const event_run& run);

  // Replaces all that is known of a worker. False, and nothing changes: its life was not met, or
  // the snapshot is older than what was applied.
  bool take_snapshot(const node_life& worker, const entry_snapshot& snapshot);

  // The worker is gone, whatever its life.
  void forget(const node_name& worker);

  // A lease on the entry was refused there as not held: it is not credited until an event or a
  // snapshot says so again. An event that is still under way may do so wrongly; the next refusal
  // mends it. Returns whether it was credited.
  bool miss(const node_life& worker, const entry_key& key);

  // Who says that it holds the entry, by name. A look-up per worker, and workers are few.
  std::vector<entry_holder> holders(const entry_key& key) const;

  // The number expected next. Nullopt: this life was not met.
  std::optional<std::uint64_t> next_sequence(const node_life& worker) const;

  std::size_t workers() const { return workers_.size(); }
  std::size_t entries(const node_life& worker) const;         // 0 for a life that was not met.
  std::uint64_t passed_over() const { return passed_over_; }  // Insertions beyond entries_max.

 private:
  struct worker_entries {
    incarnation life;
    std::uint64_t next_sequence = 0;
    std::unordered_map<entry_key, entry_facts> entries;
  };

  worker_entries* find(const node_life& worker);
  const worker_entries* find(const node_life& worker) const;
  void credit(worker_entries& known, const entry_key& key, const entry_facts& facts);

  directory_limits limits_;
  std::uint64_t passed_over_ = 0;
  std::map<node_name, worker_entries> workers_;
};

}  // namespace weft
