// Where requests get sequences and entries: takes them from the engine and evicts cached entries
// when the pools are short.
//
// The desk answers whether a request may start, too. It is told what live requests may yet take
// (`keep`), and neither admits nor spares anything that would break such a promise.
//
// Threads: the session's. Lifetime: engine and index outlive the desk.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "actors/session/entry_index.hpp"
#include "actors/session/quarantine.hpp"
#include "gpu/door/engine.hpp"
#include "policies/admission/admission.hpp"

namespace weft::actors {

class unit_desk {
 public:
  unit_desk(gpu::engine& from, entry_index& cache) : engine_(from), cache_(cache) {}

  // What live requests may yet take; holds until it is told anew.
  void keep(const cache_units& promised) { promised_ = promised; }

  // Whether a request may start that will take `needed` before it ends.
  bool admits(const cache_units& needed) const;

  // Whether `extra` is free beyond all promises.
  bool can_spare(const cache_units& extra) const;

  // Evicts until `wanted` is free. False: it cannot be, and nothing went.
  bool make_room(const cache_units& wanted);

  // A fresh sequence with room for `runs`; `overloaded` when the pools are short.
  result<std::unique_ptr<gpu::sequence>> sequence(const std::vector<std::int64_t>& runs);

  // Room for an entry; `overloaded` when the pools are short.
  result<std::shared_ptr<gpu::entry>> entry(const entry_wanted& wanted);

  entry_index& cache() { return cache_; }
  const entry_index& cache() const { return cache_; }
  gpu::engine& engine() { return engine_; }
  quarantine& bad_keys() { return bad_keys_; }
  const quarantine& bad_keys() const { return bad_keys_; }

 private:
  cache_units free() const;

  gpu::engine& engine_;
  entry_index& cache_;
  quarantine bad_keys_;
  cache_units promised_;
};

// Units that `wanted` takes.
cache_units units_of(const entry_wanted& wanted);

// Units of a sequence with room for `runs`.
cache_units sequence_units(const std::vector<std::int64_t>& runs);

}  // namespace weft::actors
