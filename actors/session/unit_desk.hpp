// Where requests get sequences and entries: takes them from the engine and evicts cached entries
// when the pools are short.
//
// Threads: the session's. Lifetime: engine and index outlive the desk.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/session/entry_index.hpp"
#include "actors/session/quarantine.hpp"
#include "gpu/door/engine.hpp"

namespace weft::actors {

class unit_desk {
 public:
  unit_desk(gpu::engine& from, entry_index& cache) : engine_(from), cache_(cache) {}

  // Evicts until `wanted` is free. False: it cannot be, and nothing went.
  bool make_room(const cache_units& wanted);

  // A fresh sequence with room for `runs`; `overloaded` when the pools are short.
  result<std::unique_ptr<gpu::sequence>> sequence(const std::vector<std::int64_t>& runs);

  // Room for an entry; `overloaded` when the pools are short.
  result<std::shared_ptr<gpu::entry>> entry(const entry_wanted& wanted);

  entry_index& cache() { return cache_; }
  gpu::engine& engine() { return engine_; }
  quarantine& bad_keys() { return bad_keys_; }
  const quarantine& bad_keys() const { return bad_keys_; }

 private:
  gpu::engine& engine_;
  entry_index& cache_;
  quarantine bad_keys_;
};

// Units that `wanted` takes.
cache_units units_of(const entry_wanted& wanted);

// Units of a sequence with room for `runs`.
cache_units sequence_units(const std::vector<std::int64_t>& runs);

}  // namespace weft::actors
