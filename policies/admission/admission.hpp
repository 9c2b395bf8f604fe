// Whether a request may start: only when all that it will ever need is there or can be made so.
//
// A pure decision in exact units. Two requests that each hold half of what they need, and wait for
// the other's half, would wait for ever. So a request starts only if its whole need, and all that
// was promised to those before it and not taken yet, fit into what is free or may be evicted.
// Whoever was admitted can then take what it was promised at any time, in any order.
#pragma once

#include <cstdint>

#include "policies/eviction/cache_units.hpp"

namespace weft {

struct admission_facts {
  cache_units most = {};    // What the request holds at once when nothing is known of it.
  cache_units needed = {};  // What it will take from now until it ends: `most` less what it found.

  cache_units total = {};      // Of the pools.
  cache_units kept = {};       // Never given back, and no part of `most`: what others have pinned.
  cache_units free = {};       // Now.
  cache_units evictable = {};  // Held by the cache alone. Counts nothing that the request found.
  cache_units promised = {};   // To live requests, and not taken yet.
};

enum class admission_verdict : std::uint8_t {
  admit,
  wait,   // does not fit now; `lacking` must be given back first
  never,  // can never fit; `lacking` is what the pools are too small by
};

struct admission {
  admission_verdict verdict = admission_verdict::admit;
  cache_units lacking = {};  // Per resource; none when admitted.

  friend bool operator==(const admission&, const admission&) = default;
};

admission admit(const admission_facts& facts);

// Whether `extra` can be taken by somebody who could also do without it, with every promise still
// kept. It must be free: nothing is evicted for it.
bool can_spare(const cache_units& extra, const admission_facts& facts);

}  // namespace weft
